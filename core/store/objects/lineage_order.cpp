#include "core/store/objects/lineage_order.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/archive/read/lineage_limit.h"

namespace strata {
namespace {

/// Of each content the number of parents that it has among the contents of `versions`.
std::map<Digest, std::uint32_t> ranksOf(const std::vector<VersionEntry>& versions) {
  std::map<Digest, std::uint32_t> ranks;
  for (const VersionEntry& version : versions) ranks[version.contentDigest] = 0;
  // A lineage that runs in a circle ends there.
  bool isSettled = false;
  for (std::uint32_t round = 0; !isSettled && round <= kMostParents; ++round) {
    isSettled = true;
    for (const VersionEntry& version : versions) {
      const auto parent = version.parentDigest ? ranks.find(*version.parentDigest) : ranks.end();
      std::uint32_t& rank = ranks[version.contentDigest];
      if (parent == ranks.end() || rank > parent->second) continue;
      rank = parent->second + 1;
      isSettled = false;
    }
  }
  return ranks;
}

}  // namespace

void sortDifferencesFirst(std::vector<VersionEntry>& versions) {
  const auto ranks = ranksOf(versions);
  std::stable_sort(versions.begin(), versions.end(), [&](const auto& a, const auto& b) {
    return ranks.at(a.contentDigest) > ranks.at(b.contentDigest);
  });
}

}  // namespace strata
