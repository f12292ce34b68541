#include "core/ops/exchange/remote_difference.h"

#include <algorithm>
#include <utility>

#include "core/ops/detail/renamed_names.h"
#include "core/ops/exchange/detail/agreed_tags.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/version_matching.h"

namespace strata {
namespace {

/// Whether a push of all brings a tag of this store along, or moves it there.
bool goesThere(const TagRef& tag, const RemoteLibrary& library, const TagMatching& tags) {
  const TagRef* const there = library.tag(tag.name, tag.tag);
  return (there == nullptr ? tags.changeWhereGone(tag) : tags.changeOf(*there)) == TagChange::Here;
}

/// Tags of `library` that a pull of all brings along or moves.
std::uint64_t countTagsToPull(const RemoteLibrary& library, const TagMatching& tags) {
  return static_cast<std::uint64_t>(
      std::count_if(library.tags.begin(), library.tags.end(), [&](const TagRef& tag) {
        const TagChange change = tags.changeOf(tag);
        const bool comes = change == TagChange::New || change == TagChange::There;
        return comes && library.find(tag.name, tag.number) != nullptr;
      }));
}

/// Versions that a pull of all brings.
Result<std::uint64_t> countToPull(const Catalog& catalog, const RemoteLibrary& library,
                                  const VersionMatching& matching) {
  STRATA_TRY(const RenamedNames renamed, RenamedNames::load(catalog));
  if (renamed.isEmpty()) return matching.toPull();
  std::uint64_t count = 0;
  for (const RemoteVersion& version : library.versions) {
    if (matching.here(version) != nullptr) continue;
    STRATA_TRY(const auto here, renamed.here(version));
    if (!here || here->place() != Place::Live) ++count;
  }
  return count;
}

}  // namespace

Result<std::optional<RemoteDifference>> remoteDifference(const Store& store,
                                                         const std::string& name) {
  STRATA_TRY(const std::optional<FetchedListing> fetched, readFetched(store.folder(), name));
  if (!fetched) return std::nullopt;
  const RemoteLibrary library = RemoteLibrary::from(fetched->listing);
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  STRATA_TRY(const std::vector<TagRef> tags, store.catalog().tags());
  STRATA_TRY(const TagMatching tagMatching,
             TagMatching::load(store.catalog(), matching, readAgreed(store.folder(), name)));
  STRATA_TRY(const std::uint64_t toPull, countToPull(store.catalog(), library, matching));
  const auto goes = [&](const TagRef& tag) { return goesThere(tag, library, tagMatching); };
  return RemoteDifference{
      .toPush = matching.toPush(),
      .toPull = toPull,
      .tagsToPush = static_cast<std::uint64_t>(std::count_if(tags.begin(), tags.end(), goes)),
      .tagsToPull = countTagsToPull(library, tagMatching),
      .versionCount = library.versions.size(),
      .fetchedAt = fetched->fetchedAt};
}

}  // namespace strata
