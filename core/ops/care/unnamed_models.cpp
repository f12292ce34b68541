#include "core/ops/care/unnamed_models.h"

#include "core/store/objects/object_hold.h"
#include "core/store/objects/rebuildable_contents.h"

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

Result<std::set<Digest>> restorableContents(const Catalog& named,
                                            const std::vector<UnnamedManifest>& unnamed) {
  std::vector<Descent> descents;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, named.versions(place));
    // A version that is damaged is mended under its own name: what stands on it is worth one.
    for (const VersionEntry& version : versions) descents.push_back({version.contentDigest, {}});
  }
  for (const UnnamedManifest& one : unnamed) {
    const VersionEntry& entry = one.summary.entry;
    if (one.isWhole()) descents.push_back({entry.contentDigest, entry.parentDigest});
  }
  return rebuildableContents(descents);
}

Result<std::vector<UnnamedModel>> unnamedModels(const Store& store, const std::stop_token& stop) {
  STRATA_TRY(const auto manifests, unnamedManifests(store.objects(), store.catalog(), stop));
  std::vector<UnnamedModel> models;
  if (manifests.empty()) return models;
  const std::set<Digest> held = heldObjects(store.folder());
  STRATA_TRY(const std::set<Digest> restorable, restorableContents(store.catalog(), manifests));
  for (const UnnamedManifest& one : manifests) {
    const bool isRestorable = one.isWhole() && restorable.contains(one.summary.entry.contentDigest);
    if (isRestorable && !held.contains(one.digest)) models.push_back(unnamedModel(one));
  }
  return models;
}

}  // namespace strata
