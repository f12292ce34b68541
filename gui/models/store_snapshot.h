#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/ops/inspect/list_objects.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/store_info.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/trash.h"

namespace strata::gui {

/// What the window knows of a store at one moment. Made on a worker, then never changed.
struct StoreSnapshot {
  std::string folder;
  std::vector<ListRow> rows;  ///< all versions
  StoreTotals totals;
  InfoReport info;
  TrashReport trash;
  Reversals next;                       ///< what undo and redo are about
  Config config;                        ///< the settings in force
  std::int64_t checkedLatelySince = 0;  ///< seconds since 1970: what was sound then counts as that

  std::map<Digest, std::int64_t> damaged;  ///< manifests that a check found damaged, and when

  /// When the last check of a version found it damaged: seconds since 1970; 0 if it did not.
  std::int64_t damagedAt(const VersionEntry& version) const {
    const auto found = damaged.find(version.manifestDigest);
    return found == damaged.end() ? 0 : found->second;
  }
  /// Damaged ones are not known to be sound either.
  bool isUnchecked(const VersionEntry& version) const {
    return version.soundAt() < checkedLatelySince || damagedAt(version) != 0;
  }
};

using SnapshotPtr = std::shared_ptr<const StoreSnapshot>;

}  // namespace strata::gui
