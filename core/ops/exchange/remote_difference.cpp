#include "core/ops/exchange/remote_difference.h"

#include <algorithm>
#include <utility>

#include "core/ops/detail/renamed_names.h"
#include "core/ops/detail/replaced_snapshots.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/version_matching.h"

namespace strata {
namespace {

/// Whether a push of all brings a tag of this store along, or moves it there.
bool goesThere(const TagRef& tag, const RemoteLibrary& library, const TagMatching& tags) {
  const TagRef* const there = library.tag(tag.name, tag.tag);
  return (there == nullptr ? tags.changeWhereGone(tag) : tags.changeOf(*there)) == TagChange::Here;
}

/// Which versions of a remote a pull of all passes by.
class PassedBy {
 public:
  PassedBy(const Store& store, const RemoteLibrary& library, const VersionMatching& matching,
           const RenamedNames& renamed)
      : library_(library), matching_(matching), renamed_(renamed), replaced_(store, renamed) {}

  Result<bool> contains(const RemoteVersion& version) {
    if (matching_.here(version) != nullptr) return false;
    STRATA_TRY(const bool isRenamed, isRenamedHere(version));
    if (isRenamed) return true;
    STRATA_TRY(const auto instead, replaced_.inPlaceOf(version));
    return instead.has_value();
  }

 private:
  /// It has another name here, or comes out of the trash under one that the remote has, too.
  Result<bool> isRenamedHere(const RemoteVersion& version) const {
    if (renamed_.isEmpty()) return false;
    STRATA_TRY(const auto here, renamed_.here(version));
    if (!here) return false;
    if (here->place() == Place::Live) return true;
    const RemoteVersion* const other = library_.find(here->name, here->number);
    return other != nullptr && other->ref.contentDigest == here->contentDigest;
  }

  const RemoteLibrary& library_;
  const VersionMatching& matching_;
  const RenamedNames& renamed_;
  ReplacedSnapshots replaced_;
};

/// Tags of `library` that a pull of all brings along or moves.
Result<std::uint64_t> countTagsToPull(const RemoteLibrary& library, const TagMatching& tags,
                                      PassedBy& passedBy) {
  std::uint64_t count = 0;
  for (const TagRef& tag : library.tags) {
    const TagChange change = tags.changeOf(tag);
    if (change != TagChange::New && change != TagChange::There) continue;
    const RemoteVersion* const version = library.find(tag.name, tag.number);
    if (version == nullptr) continue;
    STRATA_TRY(const bool staysAway, passedBy.contains(*version));
    if (!staysAway) ++count;
  }
  return count;
}

/// Versions that a pull of all brings.
Result<std::uint64_t> countToPull(const RemoteLibrary& library, const VersionMatching& matching,
                                  PassedBy& passedBy) {
  std::uint64_t count = 0;
  for (const RemoteVersion& version : library.versions) {
    if (matching.here(version) != nullptr) continue;
    STRATA_TRY(const bool staysAway, passedBy.contains(version));
    if (!staysAway) ++count;
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
  PassedBy passedBy(store, library, matching, renamed);
  STRATA_TRY(const std::uint64_t toPull, countToPull(library, matching, passedBy));
  STRATA_TRY(const std::uint64_t tagsToPull, countTagsToPull(library, tagMatching, passedBy));
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
