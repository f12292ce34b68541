#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/inspect/list_versions.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct LogOptions {
  std::string name = {};                          ///< or NAME:vN, up to that; empty: all names
  std::size_t limit = 0;                          ///< 0: all
  std::optional<std::int64_t> sinceSeconds = {};  ///< since 1970, UTC
};

struct LogReport {
  std::vector<ListRow> rows;  ///< newest first
};

/// The history of one name or of the whole store. Fails with NotFound if there is no such name.
Result<LogReport> versionLog(const Store& store, const LogOptions& options);

}  // namespace strata
