#include "core/ops/exchange/remote_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/detail/missing_bytes.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/refs/reference.h"
#include "core/text/glob.h"

namespace strata {
namespace {

/// Whether the store has versions of the name, or some that the pattern means.
Result<bool> isStored(const Catalog& catalog, std::string_view word) {
  if (isGlob(word)) {
    STRATA_TRY(const auto all, catalog.versions());
    return std::any_of(all.begin(), all.end(), [&](const VersionEntry& version) {
      return matchesGlob(version.name, word) || matchesGlob(version.label(), word);
    });
  }
  const auto reference = parseReference(word);
  if (!reference) return false;
  STRATA_TRY(const auto versions, catalog.versionsOf(reference->name));
  return !versions.empty();
}

}  // namespace

bool isSaidStored(std::string_view word) noexcept { return word.starts_with(':'); }

bool isSaidRemote(const RemoteList& remotes, std::string_view word) noexcept {
  const std::size_t slash = word.find("//");
  return slash != word.npos && remotes.find(word.substr(0, slash)) != nullptr;
}

std::string storedWord(std::string_view word) {
  return std::string(word.substr(isSaidStored(word) ? 1 : 0));
}

Result<void> checkMeansOne(const Catalog& catalog, const RemoteList& remotes,
                           std::string_view word) {
  const auto there = readRemoteReference(remotes, word);
  if (!there || isSaidRemote(remotes, word)) return {};
  STRATA_TRY(const bool isHere, isStored(catalog, word));
  if (!isHere) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{0}: is the name of something in this store, and {1} is a remote; write "
                          "\":{0}\" for the store's, \"{1}//{2}\" for the remote's",
                          word, there->remote, there->reference));
}

std::optional<RemoteReference> readRemoteReference(const RemoteList& remotes,
                                                   std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos || remotes.find(word.substr(0, slash)) == nullptr) return {};
  std::string_view rest = word.substr(slash + 1);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (!isGlob(rest) && !parseReference(rest)) return {};
  return RemoteReference{std::string(word.substr(0, slash)), std::string(rest)};
}

Result<std::optional<RemoteFinding>> findRemoteVersion(const Store& store,
                                                       const RemoteReference& reference) {
  STRATA_TRY(const auto fetched, readFetched(store.folder(), reference.remote));
  if (!fetched) return std::nullopt;
  const RemoteLibrary library = RemoteLibrary::from(fetched->listing);
  const auto chosen = library.select(std::span(&reference.reference, 1), 0);
  if (!chosen) return fail(chosen.error().within(reference.remote));
  if (chosen->size() != 1) {
    return fail(ErrorCode::InvalidArgument,
                reference.remote + "/" + reference.reference + ": means several versions");
  }
  RemoteFinding found;
  found.version = *chosen->front();
  found.tags = library.tagsOf(found.version);
  found.askedAt = fetched->fetchedAt;
  if (found.version.parentDigest) {
    const RemoteVersion* const parent = library.withContent(*found.version.parentDigest);
    if (parent != nullptr) found.parentLabel = parent->ref.label();
  }
  STRATA_TRY(const auto here, store.catalog().withContent(found.version.ref.contentDigest));
  for (const VersionEntry& entry : here) {
    if (entry.place() == Place::Live) found.labelsHere.push_back(entry.label());
  }
  STRATA_TRY(const MissingBytes missing, missingBytes(library, *chosen, &store));
  found.fetchBytes = missing.byteCount;
  return found;
}

}  // namespace strata
