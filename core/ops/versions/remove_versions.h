#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RemoveOptions {
  std::vector<std::string> references = {};  ///< with patterns, as `*` and `sst2:v1?`
  bool allVersions = false;  ///< a plain NAME means all of its versions, not the newest only
  bool now = false;          ///< skip the trash
  bool dryRun = false;
};

struct RemoveReport {
  std::vector<VersionEntry> versions;  ///< removed, with the tags they had
  /// Those of them that versions which stay are differences to: their models stay, too.
  std::vector<VersionEntry> needed;
  std::uint64_t freedBytes = 0;     ///< with `now`: of objects deleted
  std::uint64_t freeableBytes = 0;  ///< without: what emptying the trash would free more by this
  std::uint64_t trashBytes = 0;     ///< without: what emptying the trash would free in all
  std::uint64_t neededBytes = 0;    ///< of objects of `versions` that others need
  std::uint64_t sharedBytes = 0;    ///< of these: what versions that stay rest on themselves

  /// Bytes that stay for versions that are differences to what goes; sharedBytes are the rest.
  std::uint64_t differenceBytes() const noexcept { return neededBytes - sharedBytes; }
};

/// Moves versions to the trash, all or none. Their objects stay until the trash is emptied, and
/// longer while versions that stay are differences to them: those restore as before.
/// Fails with NotFound, StoreLocked, Io; with `now` also with what emptying the trash fails with.
Result<RemoveReport> removeVersions(Store& store, const RemoveOptions& options);

}  // namespace strata
