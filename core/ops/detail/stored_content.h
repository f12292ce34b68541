#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/progress.h"
#include "core/store/lineage_check.h"
#include "core/store/store.h"

namespace strata {

/// What a store has of one content already, and what of that is damaged.
struct StoredContent {
  std::optional<VersionEntry> sound = {};      ///< the first version of it that restores
  std::optional<VersionEntry> soundBase = {};  ///< the first of those that is stored in full
  std::vector<VersionRef> damaged = {};  ///< those that do not, and those whose ref is damaged
  std::vector<VersionRef> lost = {};     ///< versions by their refs alone: the catalog has them not
  bool hasDamagedBase = false;

  bool needsRepair() const noexcept { return !damaged.empty() || !lost.empty(); }
};

/// Finds out what a store has of a model's content. Asked twice by `add`: before it encodes, and
/// under the write lock, when only what others changed meanwhile is hashed.
class StoredContentSurvey {
 public:
  explicit StoredContentSurvey(const Store& store) : store_(store), check_(store) {}

  /// `fresh` says of versions what their damaged refs do not.
  /// Fails with FormatTooNew, Cancelled, or what the catalog fails with.
  Result<StoredContent> look(const Catalog& catalog, const Digest& content, const VersionRef& fresh,
                             const std::stop_token& stop, const ProgressSink& progress);

  LineageCheck& lineages() noexcept { return check_; }

 private:
  const Store& store_;
  LineageCheck check_;
  std::map<Digest, bool> isSound_;  ///< by manifest
};

}  // namespace strata
