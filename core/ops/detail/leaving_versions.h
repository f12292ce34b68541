#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/store/catalog.h"

namespace strata {

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept;

/// Versions on their way out of a store, as seen by those that stay: a parent may go if its content
/// stays as another version, or if all differences to it go, too. Refers to what it was made of.
class LeavingVersions {
 public:
  LeavingVersions(const Catalog& catalog, std::span<const VersionEntry> leaving)
      : catalog_(catalog), leaving_(leaving) {}

  /// The versions at `places` that stay and are stored as differences to `version`; none if its
  /// content stays at `places`. Fails with what the catalog fails with.
  Result<std::vector<VersionEntry>> stayingDifferences(const VersionEntry& version,
                                                       std::span<const Place> places) const;

 private:
  bool contain(const VersionEntry& version) const noexcept;
  Result<bool> leaveContent(const Digest& content, std::span<const Place> places) const;

  const Catalog& catalog_;
  std::span<const VersionEntry> leaving_;
};

}  // namespace strata
