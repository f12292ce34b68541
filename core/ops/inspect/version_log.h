#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/trainer_state.h"
#include "core/ops/inspect/list_versions.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct LogOptions {
  std::string name = {};                          ///< or NAME:vN, up to that; empty: all names
  std::size_t limit = 0;                          ///< 0: all
  std::optional<std::int64_t> sinceSeconds = {};  ///< since 1970, UTC
};

struct LogRow : ListRow {
  /// Of a snapshot, where one name is asked for: what its trainer said.
  std::optional<TrainerState> state = {};
};

struct LogReport {
  std::vector<LogRow> rows;  ///< newest first; those of a run by their steps (runVersions)
};

/// The history of one name or of the whole store. Fails with NotFound if there is no such name.
Result<LogReport> versionLog(const Store& store, const LogOptions& options);

/// One version as a list shows it, without `taken`. Reads the catalog only, and fails as it does.
Result<ListRow> listedVersion(const Store& store, const VersionEntry& version);

}  // namespace strata
