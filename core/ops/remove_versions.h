#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RemoveOptions {
  std::vector<std::string> references = {};
  bool allVersions = false;  ///< a plain NAME means all of its versions, not the newest only
  bool now = false;          ///< skip the trash
  bool dryRun = false;
};

struct RemoveReport {
  std::vector<VersionEntry> versions;  ///< removed, with the tags they had
  std::uint64_t freedBytes = 0;        ///< with `now`: of objects deleted
  std::uint64_t freeableBytes = 0;     ///< without: what emptying the trash would free of these
};

/// Moves versions to the trash; all are looked at before the first is moved. Their objects stay
/// until the trash is emptied.
/// Fails with InvalidArgument, naming the dependants, if another version is a difference to one of
/// them and is not removed, too; NotFound, StoreLocked, Io.
Result<RemoveReport> removeVersions(Store& store, const RemoveOptions& options);

}  // namespace strata
