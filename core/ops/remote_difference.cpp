#include "core/ops/remote_difference.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ops/fetch_remote.h"

namespace strata {
namespace {

/// A version is the same one where it has this name and content, whatever its number.
using Identities = std::set<std::pair<std::string, Digest>>;

std::uint64_t countNotIn(const Identities& wanted, const Identities& there) {
  return static_cast<std::uint64_t>(
      std::count_if(wanted.begin(), wanted.end(),
                    [&](const auto& identity) { return !there.contains(identity); }));
}

}  // namespace

Result<std::optional<RemoteDifference>> remoteDifference(const Store& store,
                                                         const std::string& name) {
  STRATA_TRY(const std::optional<FetchedListing> fetched, readFetched(store.folder(), name));
  if (!fetched) return std::nullopt;
  const RemoteLibrary library = RemoteLibrary::from(fetched->listing);
  Identities there;
  for (const RemoteVersion& version : library.versions) {
    there.emplace(version.ref.name, version.ref.contentDigest);
  }
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  Identities here;
  for (const VersionEntry& version : versions) here.emplace(version.name, version.contentDigest);
  return RemoteDifference{.toPush = countNotIn(here, there),
                          .toPull = countNotIn(there, here),
                          .versionCount = library.versions.size(),
                          .fetchedAt = fetched->fetchedAt};
}

}  // namespace strata
