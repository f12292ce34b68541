#include "core/ops/list_objects.h"

#include <algorithm>
#include <map>

namespace strata {
namespace {

using Labels = std::map<Digest, std::vector<std::string>>;

Result<Labels> labelsByManifest(const Catalog& catalog, Catalog::Place place) {
  STRATA_TRY(const std::vector<VersionEntry> versions, catalog.versions(place));
  Labels labels;
  for (const VersionEntry& version : versions) {
    labels[version.manifestDigest].push_back(version.label());
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
  STRATA_TRY(const Labels live, labelsByManifest(catalog, Catalog::Place::Live));
  STRATA_TRY(const Labels trashed, labelsByManifest(catalog, Catalog::Place::Trash));
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
    append(rows[place->second].usedBy, live, manifest);
    append(rows[place->second].trashedBy, trashed, manifest);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ObjectRow& a, const ObjectRow& b) {
    return a.byteCount > b.byteCount;
  });
  return rows;
}

}  // namespace strata
