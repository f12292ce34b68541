#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/ops/detail/lineage.h"
#include "core/store/store.h"

namespace strata {

/// The change of several refs that the next writer finishes, and which damage it mends: a repair
/// that was killed counts as a repair.
class PendingChange {
 public:
  /// `versions` as the catalog lists them. Fails with Io or FormatTooNew.
  static Result<PendingChange> read(const Store& store, const std::vector<VersionEntry>& versions);

  const RefChange& change() const noexcept { return change_; }
  /// Why the change cannot be read.
  const std::optional<Error>& damage() const noexcept { return damage_; }

  /// Whether the version's content gets another manifest, all packs of which are here.
  bool mends(const VersionEntry& version) const { return mended_.contains(version.contentDigest); }
  /// Or that of one that the version is a difference to.
  bool mends(const VersionEntry& version, const Lineage& lineage) const;

 private:
  RefChange change_;
  std::optional<Error> damage_;
  std::set<Digest> mended_;  ///< contents
};

}  // namespace strata
