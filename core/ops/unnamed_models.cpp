#include "core/ops/unnamed_models.h"

#include "core/store/object_hold.h"

namespace strata {

UnnamedModel unnamedModel(const UnnamedManifest& manifest) {
  const ManifestSummary& summary = manifest.summary;
  UnnamedModel model{.contentDigest = summary.entry.contentDigest,
                     .format = summary.entry.format,
                     .originalBytes = summary.entry.originalBytes,
                     .objects = {summary.packs.begin(), summary.packs.end()}};
  model.objects.insert(manifest.digest);
  return model;
}

Result<std::vector<UnnamedModel>> unnamedModels(const Store& store, const std::stop_token& stop) {
  STRATA_TRY(const auto manifests, unnamedManifests(store.objects(), store.catalog(), stop));
  std::vector<UnnamedModel> models;
  if (manifests.empty()) return models;
  const std::set<Digest> held = heldObjects(store.folder());
  for (const UnnamedManifest& one : manifests) {
    if (one.isWhole() && !held.contains(one.digest)) models.push_back(unnamedModel(one));
  }
  return models;
}

}  // namespace strata
