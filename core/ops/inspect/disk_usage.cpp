#include "core/ops/inspect/disk_usage.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/ops/detail/leaving_versions.h"
#include "core/text/glob.h"

namespace strata {
namespace {

using ObjectsOf = std::map<Digest, std::vector<Digest>>;  // by manifest
using Amounts = std::map<Digest, std::uint64_t>;

/// What would go with versions, by who needs what. Without a walk over all versions for each.
class Release {
 public:
  /// `versions`: all that need anything, live or in the trash.
  Release(std::span<const VersionEntry> versions, const ObjectsOf& objectsOf)
      : objectsOf_(objectsOf) {
    for (const VersionEntry& version : versions) {
      if (version.isUnlisted) unlisted_.emplace(version.contentDigest, &version);
      if (!version.isUnlisted) ++listed_[version.contentDigest];
      if (version.parentDigest) ++needers_[*version.parentDigest];
      for (const Digest& object : objects(version)) ++uses_[object];
    }
  }

  /// The objects that go if just this version is deleted for good: none of one that others are
  /// differences to, and those of nameless parents that it alone needs.
  std::vector<Digest> freedBy(const VersionEntry& version) const {
    if (countOf(needers_, version.contentDigest) > 0 &&
        countOf(listed_, version.contentDigest) == 1) {
      return {};
    }
    std::map<Digest, std::size_t> leaving;
    for (const VersionEntry* gone = &version; gone != nullptr; gone = leftParent(*gone)) {
      for (const Digest& object : objects(*gone)) ++leaving[object];
    }
    std::vector<Digest> freed;
    for (const auto& [object, count] : leaving) {
      if (countOf(uses_, object) == count) freed.push_back(object);
    }
    return freed;
  }

 private:
  using Counts = std::map<Digest, std::size_t>;
  static std::size_t countOf(const Counts& counts, const Digest& digest) {
    const auto found = counts.find(digest);
    return found == counts.end() ? 0 : found->second;
  }
  std::span<const Digest> objects(const VersionEntry& version) const {
    const auto found = objectsOf_.find(version.manifestDigest);
    return found == objectsOf_.end() ? std::span<const Digest>() : std::span(found->second);
  }
  /// The parent, if it has no name and nothing else needs it.
  const VersionEntry* leftParent(const VersionEntry& version) const {
    if (!version.parentDigest || countOf(needers_, *version.parentDigest) != 1) return nullptr;
    const auto found = unlisted_.find(*version.parentDigest);
    const bool isLeft = found != unlisted_.end() && countOf(listed_, *version.parentDigest) == 0;
    return isLeft ? found->second : nullptr;
  }

  const ObjectsOf& objectsOf_;
  std::map<Digest, const VersionEntry*> unlisted_;  // by content
  Counts listed_;                                   // versions, by content
  Counts needers_;                                  // versions, by their parent's content
  Counts uses_;                                     // versions, by object
};

}  // namespace

Result<DiskUsage> diskUsage(const Store& store, const std::string& glob) {
  return diskUsage(store, [&glob](const VersionEntry& version) {
    return glob.empty() || matchesGlob(version.name, glob) || matchesGlob(version.label(), glob);
  });
}

Result<DiskUsage> diskUsage(const Store& store,
                            const std::function<bool(const VersionEntry&)>& isAsked) {
  const Catalog& catalog = store.catalog();
  STRATA_TRY(const std::vector<CatalogObject> objects, catalog.objects());
  STRATA_TRY(const auto pairs, catalog.objectUses());
  STRATA_TRY(const std::vector<VersionEntry> live, catalog.versions(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  Amounts byteCounts;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) byteCounts[object.digest] = object.byteCount;
  }
  ObjectsOf objectsOf;
  for (const auto& [object, manifest] : pairs) {
    if (byteCounts.contains(object)) objectsOf[manifest].push_back(object);
  }
  std::vector<VersionEntry> all = live;
  all.insert(all.end(), trashed.begin(), trashed.end());
  const std::vector<VersionEntry> left = sortLeaving(all, {}).gone;
  leaveOut(all, left);

  DiskUsage usage;
  const Release release(all, objectsOf);
  std::set<Digest> counted;
  for (const VersionEntry& version : live) {
    if (!isAsked(version)) continue;
    VersionUsage one{version};
    const std::vector<Digest> freed = release.freedBy(version);
    for (const Digest& object : freed) one.ownBytes += byteCounts[object];
    for (const Digest& object : objectsOf[version.manifestDigest]) {
      if (std::binary_search(freed.begin(), freed.end(), object)) continue;
      one.sharedBytes += byteCounts[object];
      if (counted.insert(object).second) usage.sharedBytes += byteCounts[object];
    }
    usage.ownBytes += one.ownBytes;
    usage.versions.push_back(std::move(one));
  }
  std::set<Digest> summed;
  const auto sumOf = [&](const std::vector<VersionEntry>& versions) {
    std::uint64_t sum = 0;
    for (const VersionEntry& version : versions) {
      for (const Digest& object : objectsOf[version.manifestDigest]) {
        if (summed.insert(object).second) sum += byteCounts[object];
      }
    }
    return sum;
  };
  const std::vector<VersionEntry> freed = sortLeaving(all, trashed).gone;
  leaveOut(trashed, freed);
  usage.storeBytes = sumOf(live);
  usage.keptBytes = sumOf(trashed);
  usage.trashBytes = sumOf(freed);
  usage.storeBytes += usage.keptBytes + usage.trashBytes;
  std::stable_sort(usage.versions.begin(), usage.versions.end(), [](const auto& a, const auto& b) {
    return a.ownBytes + a.sharedBytes > b.ownBytes + b.sharedBytes;
  });
  return usage;
}

}  // namespace strata
