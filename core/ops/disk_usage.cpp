#include "core/ops/disk_usage.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text/glob.h"

namespace strata {
namespace {

/// One object and how many versions need it.
struct Use {
  std::uint64_t byteCount = 0;
  std::size_t liveCount = 0;
  std::size_t trashCount = 0;
};

using ObjectsOf = std::map<Digest, std::vector<Digest>>;  // by manifest

bool isAsked(const VersionEntry& version, const std::string& glob) {
  return glob.empty() || matchesGlob(version.name, glob) || matchesGlob(version.label(), glob);
}

}  // namespace

Result<DiskUsage> diskUsage(const Store& store, const std::string& glob) {
  const Catalog& catalog = store.catalog();
  STRATA_TRY(const std::vector<CatalogObject> objects, catalog.objects());
  STRATA_TRY(const auto pairs, catalog.objectUses());
  STRATA_TRY(const std::vector<VersionEntry> live, catalog.versions(Place::Live));
  STRATA_TRY(const std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  std::map<Digest, Use> uses;
  for (const CatalogObject& object : objects) {
    if (!object.isAwaited) uses[object.digest].byteCount = object.byteCount;
  }
  ObjectsOf objectsOf;
  for (const auto& [object, manifest] : pairs) {
    if (uses.contains(object)) objectsOf[manifest].push_back(object);
  }
  for (const VersionEntry& version : live) {
    for (const Digest& object : objectsOf[version.manifestDigest]) ++uses[object].liveCount;
  }
  for (const VersionEntry& version : trashed) {
    for (const Digest& object : objectsOf[version.manifestDigest]) ++uses[object].trashCount;
  }

  DiskUsage usage;
  std::set<Digest> shared;
  for (const VersionEntry& version : live) {
    if (!isAsked(version, glob)) continue;
    VersionUsage one{version};
    for (const Digest& object : objectsOf[version.manifestDigest]) {
      const Use& use = uses[object];
      const bool isOwn = use.liveCount + use.trashCount == 1;
      (isOwn ? one.ownBytes : one.sharedBytes) += use.byteCount;
      if (!isOwn && shared.insert(object).second) usage.sharedBytes += use.byteCount;
    }
    usage.ownBytes += one.ownBytes;
    usage.versions.push_back(std::move(one));
  }
  for (const auto& [digest, use] : uses) {
    if (use.liveCount + use.trashCount > 0) usage.storeBytes += use.byteCount;
    if (use.liveCount == 0 && use.trashCount > 0) usage.trashBytes += use.byteCount;
  }
  std::stable_sort(usage.versions.begin(), usage.versions.end(), [](const auto& a, const auto& b) {
    return a.ownBytes + a.sharedBytes > b.ownBytes + b.sharedBytes;
  });
  return usage;
}

}  // namespace strata
