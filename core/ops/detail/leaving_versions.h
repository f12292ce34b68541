#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/store/version_entry.h"

namespace strata {

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept;

/// Versions on their way out of a store, as seen by those that stay: a parent may go if its content
/// stays as another version, or if all differences to it go, too. Refers to what it was made of.
class LeavingVersions {
 public:
  /// `all`: the versions that count, leaving ones among them.
  LeavingVersions(std::span<const VersionEntry> all, std::span<const VersionEntry> leaving);

  /// The versions that stay and are stored as differences to `version`; none if its content stays.
  std::vector<const VersionEntry*> stayingDifferences(const VersionEntry& version) const;

 private:
  std::set<Digest> stayingContents_;
  std::multimap<Digest, const VersionEntry*> stayingByParent_;
};

/// Takes versions out of `leaving` until nothing of `all` that stays is a difference to one of the
/// rest; returns the labels of those, sorted.
std::vector<std::string> keepNeeded(std::span<const VersionEntry> all,
                                    std::vector<VersionEntry>& leaving);

}  // namespace strata
