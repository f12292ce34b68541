#include "core/ops/inspect/list_objects.h"

#include <algorithm>
#include <map>

#include "core/ops/detail/lineage.h"

namespace strata {
namespace {

using Labels = std::map<Digest, std::vector<std::string>>;

/// A version that no name leads to is used by those that are differences to it.
Labels labelsByManifest(const std::vector<VersionEntry>& versions, const Lineage& lineage) {
  Labels labels;
  for (const VersionEntry& version : versions) {
    if (version.isUnlisted) continue;
    labels[version.manifestDigest].push_back(version.label());
    for (const VersionEntry* const one : lineage.lineOf(version)) {
      if (one->isUnlisted) labels[one->manifestDigest].push_back(version.label());
    }
  }
  return labels;
}

void append(std::vector<std::string>& to, const Labels& labels, const Digest& manifest) {
  const auto found = labels.find(manifest);
  if (found != labels.end()) to.insert(to.end(), found->second.begin(), found->second.end());
}

}  // namespace

Result<std::vector<ObjectRow>> listObjects(const Store& store) {
  const Catalog& catalog = store.catalog();
  STRATA_TRY(const std::vector<VersionEntry> liveVersions, catalog.versions());
  STRATA_TRY(const auto trashedVersions, catalog.versions(Place::Trash));
  STRATA_TRY(const Lineage lineage, Lineage::load(catalog));
  const Labels live = labelsByManifest(liveVersions, lineage);
  const Labels trashed = labelsByManifest(trashedVersions, lineage);
  std::map<Digest, std::int64_t> checkedAt;
  for (const auto* versions : {&liveVersions, &trashedVersions}) {
    for (const VersionEntry& version : *versions) {
      checkedAt[version.manifestDigest] = version.checkedAt;
    }
  }
  STRATA_TRY(const std::vector<CatalogObject> objects, catalog.objects());
  STRATA_TRY(const auto uses, catalog.objectUses());
  std::map<Digest, std::size_t> places;
  std::vector<ObjectRow> rows;
  for (const CatalogObject& object : objects) {
    places.emplace(object.digest, rows.size());
    rows.push_back({object.digest, object.byteCount, object.isManifest, object.isAwaited});
  }
  for (const auto& [object, manifest] : uses) {
    const auto place = places.find(object);
    if (place == places.end()) continue;
    ObjectRow& row = rows[place->second];
    append(row.usedBy, live, manifest);
    append(row.trashedBy, trashed, manifest);
    row.checkedAt = std::max(row.checkedAt, checkedAt[manifest]);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ObjectRow& a, const ObjectRow& b) {
    return a.byteCount > b.byteCount;
  });
  return rows;
}

}  // namespace strata
