#include "core/ops/remote_reference.h"

#include "core/ops/detail/missing_bytes.h"
#include "core/ops/fetch_remote.h"
#include "core/store/reference.h"

namespace strata {

std::optional<RemoteReference> readRemoteReference(const RemoteList& remotes,
                                                   std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos || remotes.find(word.substr(0, slash)) == nullptr) return {};
  const std::string_view rest = word.substr(slash + 1);
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
  for (const VersionEntry& entry : here) found.labelsHere.push_back(entry.label());
  STRATA_TRY(const MissingBytes missing, missingBytes(library, *chosen, &store));
  found.fetchBytes = missing.byteCount;
  return found;
}

}  // namespace strata
