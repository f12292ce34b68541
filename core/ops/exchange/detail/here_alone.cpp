#include "core/ops/exchange/detail/here_alone.h"

#include <optional>
#include <set>

#include "core/transfer/remote_library.h"

namespace strata {

Result<HereAlone> findHereAlone(const Store& store, const RefListing& listing) {
  const RemoteLibrary library = RemoteLibrary::from(listing);
  std::set<Digest> passed = listing.takenOff;
  for (const RemoteVersion* const version : library.all()) {
    passed.insert(version->ref.contentDigest);
  }
  HereAlone objects;
  const auto take = [&](const VersionEntry& entry, const std::string& label) -> Result<void> {
    STRATA_TRY(const auto needed, store.catalog().objectsOf(entry.manifestDigest));
    for (const CatalogObject& object : needed) objects.emplace(object.digest, label);
    objects.emplace(entry.manifestDigest, label);
    return {};
  };
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  for (const VersionEntry& version : versions) {
    // Equal contents may be coded in several ways.
    if (library.withContent(version.contentDigest) != nullptr) continue;
    if (listing.takenOff.contains(version.contentDigest)) continue;
    STRATA_TRY(take(version, version.label()));
    std::optional<Digest> parent = version.parentDigest;
    while (parent && passed.insert(*parent).second) {
      STRATA_TRY(const auto with, store.catalog().withContent(*parent));
      if (with.empty()) break;
      STRATA_TRY(take(with.front(), version.label()));
      parent = with.front().parentDigest;
    }
  }
  return objects;
}

}  // namespace strata
