#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/ops/list_objects.h"
#include "core/ops/list_versions.h"
#include "core/ops/store_info.h"
#include "core/ops/trash.h"

namespace strata::gui {

/// What the window knows of a store at one moment. Made on a worker, then never changed.
struct StoreSnapshot {
  std::string folder;
  std::vector<ListRow> rows;  ///< all versions
  StoreTotals totals;
  InfoReport info;
  TrashReport trash;
  Config config;                        ///< the settings in force
  std::int64_t checkedLatelySince = 0;  ///< seconds since 1970: what was sound then counts as that

  bool isUnchecked(const VersionEntry& version) const noexcept {
    return version.soundAt() < checkedLatelySince;
  }
};

using SnapshotPtr = std::shared_ptr<const StoreSnapshot>;

}  // namespace strata::gui
