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

using TagNames = std::set<std::pair<std::string, std::string>>;

TagNames namesOf(const std::vector<TagRef>& tags) {
  TagNames names;
  for (const TagRef& tag : tags) names.emplace(tag.name, tag.tag);
  return names;
}

/// Tags of `library` that a pull of what is not here brings along.
std::uint64_t countTagsToPull(const RemoteLibrary& library, const Identities& here,
                              const TagNames& tagsHere) {
  return static_cast<std::uint64_t>(
      std::count_if(library.tags.begin(), library.tags.end(), [&](const TagRef& tag) {
        const RemoteVersion* const version = library.find(tag.name, tag.number);
        return version != nullptr && !here.contains({tag.name, version->ref.contentDigest}) &&
               !tagsHere.contains({tag.name, tag.tag});
      }));
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
  STRATA_TRY(const std::vector<TagRef> tags, store.catalog().tags());
  const TagNames tagsThere = namesOf(library.tags);
  const auto lacks = [&](const TagRef& tag) { return !tagsThere.contains({tag.name, tag.tag}); };
  return RemoteDifference{
      .toPush = countNotIn(here, there),
      .toPull = countNotIn(there, here),
      .tagsToPush = static_cast<std::uint64_t>(std::count_if(tags.begin(), tags.end(), lacks)),
      .tagsToPull = countTagsToPull(library, here, namesOf(tags)),
      .versionCount = library.versions.size(),
      .fetchedAt = fetched->fetchedAt};
}

}  // namespace strata
