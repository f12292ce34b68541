#include "core/ops/exchange/detail/pull/mended_damage.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/store/catalog/check_dates.h"

namespace strata {
namespace {

/// Whether nothing is known against the objects of a version itself.
bool hasOwnObjects(const Store& store, const Digest& manifest, const std::set<Digest>& damaged) {
  const auto objects = store.catalog().objectsOf(manifest);
  return objects && std::all_of(objects->begin(), objects->end(), [&](const CatalogObject& one) {
           return store.objects().byteCount(one.digest) && !damaged.contains(one.digest);
         });
}

}  // namespace

void forgetMended(const Store& store, const std::vector<VersionEntry>& versions) {
  const auto marked = damagedManifests(store.folder());
  if (!marked || marked->empty()) return;
  const std::set<Digest> damaged = damagedObjects(store.folder()).value_or(std::set<Digest>{});
  std::vector<Digest> mended;
  std::set<Digest> seen;
  std::vector<Digest> contents;
  for (const VersionEntry& version : versions) {
    mended.push_back(version.manifestDigest);
    contents.push_back(version.contentDigest);
  }
  while (!contents.empty()) {
    const Digest content = contents.back();
    contents.pop_back();
    if (!seen.insert(content).second) continue;
    for (const Place place : {Place::Live, Place::Trash}) {
      const auto children = store.catalog().dependants(content, place);
      if (!children) continue;
      for (const VersionEntry& child : *children) {
        if (!marked->contains(child.manifestDigest)) continue;
        if (!hasOwnObjects(store, child.manifestDigest, damaged)) continue;
        mended.push_back(child.manifestDigest);
        contents.push_back(child.contentDigest);
      }
    }
  }
  (void)forgetDamage(store.folder(), mended);
}

}  // namespace strata
