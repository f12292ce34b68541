#include "core/ops/detail/leaving_versions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

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

std::vector<VersionEntry> keepNeeded(std::span<const VersionEntry> all,
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
  const auto rest = std::stable_partition(
      leaving.begin(), leaving.end(),
      [&](const VersionEntry& version) { return !kept.contains(keyOf(version)); });
  std::vector<VersionEntry> needed(std::make_move_iterator(rest),
                                   std::make_move_iterator(leaving.end()));
  leaving.erase(rest, leaving.end());
  return needed;
}

Leaving sortLeaving(std::span<const VersionEntry> all, std::vector<VersionEntry> leaving) {
  const std::set<Key> keys = keysOf(leaving);
  for (const VersionEntry& version : all) {
    if (version.isUnlisted && !keys.contains(keyOf(version))) leaving.push_back(version);
  }
  Leaving sorted;
  sorted.needed = keepNeeded(all, leaving);
  std::erase_if(sorted.needed, [](const VersionEntry& version) { return version.isUnlisted; });
  sorted.gone = std::move(leaving);
  return sorted;
}

Result<std::uint64_t> freeableBytes(const Catalog& catalog, std::vector<VersionEntry> leaving) {
  STRATA_TRY(std::vector<VersionEntry> all, catalog.versions(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  std::move(trashed.begin(), trashed.end(), std::back_inserter(all));
  const Leaving sorted = sortLeaving(all, std::move(leaving));
  STRATA_TRY(const auto objects, catalog.objectsOnlyOf(sorted.gone));
  return byteSum(objects);
}

std::uint64_t byteSum(const std::vector<CatalogObject>& objects) {
  std::uint64_t sum = 0;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) sum += object.byteCount;
  }
  return sum;
}

}  // namespace strata
