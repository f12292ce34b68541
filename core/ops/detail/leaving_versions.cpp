#include "core/ops/detail/leaving_versions.h"

#include <algorithm>

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Key keyOf(const VersionEntry& version) { return {version.name, version.number}; }

std::set<Key> keysOf(std::span<const VersionEntry> versions) {
  std::set<Key> keys;
  for (const VersionEntry& version : versions) keys.insert(keyOf(version));
  return keys;
}

}  // namespace

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept {
  return a.name == b.name && a.number == b.number;
}

LeavingVersions::LeavingVersions(std::span<const VersionEntry> all,
                                 std::span<const VersionEntry> leaving) {
  const std::set<Key> keys = keysOf(leaving);
  for (const VersionEntry& version : all) {
    if (keys.contains(keyOf(version))) continue;
    stayingContents_.insert(version.contentDigest);
    if (version.parentDigest) stayingByParent_.emplace(*version.parentDigest, &version);
  }
}

std::vector<const VersionEntry*> LeavingVersions::stayingDifferences(
    const VersionEntry& version) const {
  std::vector<const VersionEntry*> staying;
  if (stayingContents_.contains(version.contentDigest)) return staying;
  const auto [first, last] = stayingByParent_.equal_range(version.contentDigest);
  for (auto at = first; at != last; ++at) staying.push_back(at->second);
  return staying;
}

std::vector<std::string> keepNeeded(std::span<const VersionEntry> all,
                                    std::vector<VersionEntry>& leaving) {
  const std::set<Key> keys = keysOf(leaving);
  std::set<Digest> staying;
  std::vector<Digest> wanted;  // contents of parents
  for (const VersionEntry& version : all) {
    if (keys.contains(keyOf(version))) continue;
    staying.insert(version.contentDigest);
    if (version.parentDigest) wanted.push_back(*version.parentDigest);
  }
  std::map<Digest, const VersionEntry*> byContent;
  for (const VersionEntry& version : leaving) byContent.emplace(version.contentDigest, &version);
  std::set<Key> kept;
  while (!wanted.empty()) {
    const Digest content = wanted.back();
    wanted.pop_back();
    const auto found = byContent.find(content);
    if (found == byContent.end() || !staying.insert(content).second) continue;
    kept.insert(keyOf(*found->second));
    if (found->second->parentDigest) wanted.push_back(*found->second->parentDigest);
  }
  std::vector<std::string> labels;
  std::erase_if(leaving, [&](const VersionEntry& version) {
    if (!kept.contains(keyOf(version))) return false;
    labels.push_back(version.label());
    return true;
  });
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace strata
