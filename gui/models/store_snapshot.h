#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
};

using SnapshotPtr = std::shared_ptr<const StoreSnapshot>;

}  // namespace strata::gui
