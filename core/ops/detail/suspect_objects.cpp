#include "core/ops/detail/suspect_objects.h"

#include <utility>

#include "core/progress_meter.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/objects/object_check.h"

namespace strata {

SuspectObjects::SuspectObjects(const Store& store, std::stop_token stop, ProgressSink progress)
    : store_(store),
      stop_(std::move(stop)),
      progress_(std::move(progress)),
      marked_(damagedObjects(store.folder()).value_or(std::set<Digest>{})) {}

Result<bool> SuspectObjects::isHere(const Digest& digest, std::uint64_t byteCount) const {
  const auto here = store_.objects().byteCount(digest);
  if (!here || *here != byteCount) return false;
  if (!marked_.contains(digest)) return true;
  if (const auto known = isSound_.find(digest); known != isSound_.end()) return known->second;
  const std::string item = "object " + shortHex(digest);
  ProgressMeter meter(progress_, "checking", byteCount);
  STRATA_TRY(const std::string problem,
             objectProblem(store_.objects(), {digest, byteCount}, ObjectCheck::Hash, stop_,
                           [&](std::uint64_t bytes) { meter.add(bytes, item); }));
  return isSound_[digest] = problem.empty();
}

Result<bool> SuspectObjects::areHere(const Catalog& catalog, const Digest& manifest) const {
  return areHere(catalog, manifest, Awaited::Missing);
}

Result<bool> SuspectObjects::areHereOrAwaited(const Catalog& catalog,
                                              const Digest& manifest) const {
  return areHere(catalog, manifest, Awaited::Known);
}

Result<bool> SuspectObjects::areHere(const Catalog& catalog, const Digest& manifest,
                                     Awaited awaited) const {
  STRATA_TRY(const auto objects, catalog.objectsOf(manifest));
  for (const CatalogObject& one : objects) {
    if (one.isAwaited && awaited == Awaited::Known) continue;
    STRATA_TRY(const bool isThere, isHere(one.digest, one.byteCount));
    if (!isThere) return false;
  }
  return true;
}

}  // namespace strata
