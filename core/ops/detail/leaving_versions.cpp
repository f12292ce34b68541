#include "core/ops/detail/leaving_versions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/store/objects/rebuildable_contents.h"

namespace strata {
namespace {

using Key = std::pair<std::string, std::uint32_t>;

Key keyOf(const VersionEntry& version) { return {version.name, version.number}; }

std::set<Key> keysOf(std::span<const VersionEntry> versions) {
  std::set<Key> keys;
  for (const VersionEntry& version : versions) keys.insert(keyOf(version));
  return keys;
}

/// Parents of `staying` that are not among it. `contents`: those that it has.
std::set<Digest> parentsLacking(const std::vector<Descent>& staying,
                                const std::set<Digest>& contents) {
  std::set<Digest> lacking;
  for (const Descent& one : staying) {
    if (one.parent && !contents.contains(*one.parent)) lacking.insert(*one.parent);
  }
  return lacking;
}

/// Contents of `staying` that are `rebuildable` only by versions that are not among it.
std::set<Digest> contentsLost(const std::vector<Descent>& staying,
                              const std::set<Digest>& rebuildable) {
  const std::set<Digest> rebuilt = rebuildableContents(staying);
  std::set<Digest> lost;
  for (const Descent& one : staying) {
    const bool isLost = rebuildable.contains(one.content) && !rebuilt.contains(one.content);
    if (isLost) lost.insert(one.content);
  }
  return lost;
}

}  // namespace

bool isSameVersion(const VersionEntry& a, const VersionEntry& b) noexcept {
  return a.name == b.name && a.number == b.number;
}

bool isAmong(std::span<const VersionEntry> versions, const VersionEntry& sought) noexcept {
  return std::any_of(versions.begin(), versions.end(),
                     [&](const VersionEntry& one) { return isSameVersion(one, sought); });
}

void leaveOut(std::vector<VersionEntry>& versions, std::span<const VersionEntry> others) {
  const std::set<Key> keys = keysOf(others);
  std::erase_if(versions, [&](const VersionEntry& one) { return keys.contains(keyOf(one)); });
}

std::vector<VersionEntry> keepNeeded(std::span<const VersionEntry> all,
                                     std::vector<VersionEntry>& leaving) {
  const std::set<Key> keys = keysOf(leaving);
  std::vector<Descent> possible;
  std::vector<Descent> staying;
  std::set<Digest> contents;  // of what stays
  const auto stay = [&](const VersionEntry& version) {
    staying.push_back({version.contentDigest, version.parentDigest});
    contents.insert(version.contentDigest);
  };
  for (const VersionEntry& version : all) {
    possible.push_back({version.contentDigest, version.parentDigest});
    if (!keys.contains(keyOf(version))) stay(version);
  }
  const std::set<Digest> rebuildable = rebuildableContents(possible);
  std::multimap<Digest, const VersionEntry*> byContent;
  for (const VersionEntry& version : leaving) byContent.emplace(version.contentDigest, &version);
  std::set<Key> kept;
  std::set<std::pair<Digest, std::optional<Digest>>> alike;  // one of them serves
  // Keeps whole lines of parents. What such a line leads to may lack something in turn.
  const auto keep = [&](const std::set<Digest>& lacking) {
    bool isAnyKept = false;
    std::vector<Digest> wanted(lacking.begin(), lacking.end());
    while (!wanted.empty()) {
      const auto [first, last] = byContent.equal_range(wanted.back());
      wanted.pop_back();
      for (auto at = first; at != last; ++at) {
        const VersionEntry& version = *at->second;
        if (!alike.emplace(version.contentDigest, version.parentDigest).second) continue;
        kept.insert(keyOf(version));
        stay(version);
        const auto& parent = version.parentDigest;
        if (parent && !contents.contains(*parent)) wanted.push_back(*parent);
        isAnyKept = true;
      }
    }
    return isAnyKept;
  };
  // With its parent a content may be rebuilt as it is coded here: no other coding is needed then.
  while (keep(parentsLacking(staying, contents)) || keep(contentsLost(staying, rebuildable))) {
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

Result<Freeable> Freeable::load(const Store& store, const Catalog& catalog) {
  Freeable loaded(store, catalog);
  STRATA_TRY(loaded.all_, catalog.versions(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  std::move(trashed.begin(), trashed.end(), std::back_inserter(loaded.all_));
  auto loose = looseManifests(store.objects(), catalog, {}, {}, Unread::Skipped);
  // A folder of objects that is a link is damage, which verify names; nothing is deleted then.
  if (!loose && loose.error().code != ErrorCode::CorruptData) return fail(loose.error());
  if (loose) loaded.loose_ = *std::move(loose);
  return loaded;
}

Result<std::uint64_t> Freeable::bytesOf(const std::vector<VersionEntry>& gone) const {
  STRATA_TRY(const auto objects, catalog_->objectsOnlyOf(gone));
  std::uint64_t sum = byteSum(objects);
  if (loose_.empty()) return sum;
  const std::set<Key> keys = keysOf(gone);
  std::set<Digest> staying;
  for (const VersionEntry& version : all_) {
    if (!keys.contains(keyOf(version))) staying.insert(version.contentDigest);
  }
  std::set<Digest> leaving;
  for (const VersionEntry& version : gone) {
    if (!staying.contains(version.contentDigest)) leaving.insert(version.contentDigest);
  }
  // What the catalog knows of is counted, or others need it.
  STRATA_TRY(const auto known, catalog_->objects());
  std::set<Digest> counted;
  for (const CatalogObject& object : known) counted.insert(object.digest);
  const auto count = [&](const Digest& object) {
    if (counted.insert(object).second) sum += store_->objects().byteCount(object).value_or(0);
  };
  for (const UnnamedManifest& one : loose_) {
    if (!leaving.contains(one.summary.entry.contentDigest)) continue;
    count(one.digest);
    for (const Digest& pack : one.summary.packsHere) count(pack);
  }
  return sum;
}

Result<std::uint64_t> Freeable::bytesWith(std::vector<VersionEntry> leaving) const {
  return bytesOf(sortLeaving(all_, std::move(leaving)).gone);
}

std::uint64_t byteSum(const std::vector<CatalogObject>& objects) {
  std::uint64_t sum = 0;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) sum += object.byteCount;
  }
  return sum;
}

}  // namespace strata
