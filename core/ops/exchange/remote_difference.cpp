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

/// Whether a pull of all passes a version by: it has another name here, or comes out of the trash
/// under that name, which the remote has, too.
Result<bool> isRenamedHere(const RemoteVersion& version, const RemoteLibrary& library,
                           const VersionMatching& matching, const RenamedNames& renamed) {
  if (renamed.isEmpty() || matching.here(version) != nullptr) return false;
  STRATA_TRY(const auto here, renamed.here(version));
  if (!here) return false;
  if (here->place() == Place::Live) return true;
  const RemoteVersion* const other = library.find(here->name, here->number);
  return other != nullptr && other->ref.contentDigest == here->contentDigest;
}

/// Tags of `library` that a pull of all brings along or moves.
Result<std::uint64_t> countTagsToPull(const RemoteLibrary& library, const TagMatching& tags,
                                      const VersionMatching& matching,
                                      const RenamedNames& renamed) {
  std::uint64_t count = 0;
  for (const TagRef& tag : library.tags) {
    const TagChange change = tags.changeOf(tag);
    if (change != TagChange::New && change != TagChange::There) continue;
    const RemoteVersion* const version = library.find(tag.name, tag.number);
    if (version == nullptr) continue;
    STRATA_TRY(const bool staysAway, isRenamedHere(*version, library, matching, renamed));
    if (!staysAway) ++count;
  }
  return count;
}

/// Versions that a pull of all brings.
Result<std::uint64_t> countToPull(const RemoteLibrary& library, const VersionMatching& matching,
                                  const RenamedNames& renamed) {
  if (renamed.isEmpty()) return matching.toPull();
  std::uint64_t count = 0;
  for (const RemoteVersion& version : library.versions) {
    STRATA_TRY(const bool isRenamed, isRenamedHere(version, library, matching, renamed));
    if (matching.here(version) == nullptr && !isRenamed) ++count;
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
  STRATA_TRY(const RenamedNames renamed, RenamedNames::load(store.catalog()));
  STRATA_TRY(const std::uint64_t toPull, countToPull(library, matching, renamed));
  STRATA_TRY(const std::uint64_t tagsToPull,
             countTagsToPull(library, tagMatching, matching, renamed));
  const auto goes = [&](const TagRef& tag) { return goesThere(tag, library, tagMatching); };
  return RemoteDifference{
      .toPush = matching.toPush(),
      .toPull = toPull,
      .tagsToPush = static_cast<std::uint64_t>(std::count_if(tags.begin(), tags.end(), goes)),
      .tagsToPull = tagsToPull,
      .versionCount = library.versions.size(),
      .fetchedAt = fetched->fetchedAt};
}

}  // namespace strata
