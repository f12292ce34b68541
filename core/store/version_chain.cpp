#include "core/store/version_chain.h"

#include <fmt/format.h>

#include <optional>

#include "core/store/manifest_summary.h"

namespace strata {
namespace {

using ReaderPtr = std::shared_ptr<const VersionReader>;

/// More parents than any writer makes; ends a lineage that runs in a circle.
constexpr std::uint32_t kMostParents = 64;

Result<ReaderPtr> openContent(const Store& store, const Digest& content, std::uint32_t parentsLeft);

Result<ReaderPtr> openManifest(const Store& store, const Digest& content, const Digest& manifest,
                               std::uint32_t parentsLeft) {
  STRATA_TRY(Manifest parsed, readManifest(store, manifest, content));
  ReaderPtr parent;
  if (!parsed.parent_digest().empty()) {
    const auto digest = digestFromBytes(parsed.parent_digest());
    if (!digest || parentsLeft == 0) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("manifest {}: its lineage does not end", shortHex(manifest)));
    }
    STRATA_TRY(parent, openContent(store, *digest, parentsLeft - 1));
  }
  auto reader = VersionReader::open(std::move(parsed), std::move(parent), store);
  if (!reader && reader.error().code == ErrorCode::FormatTooNew) {
    // The manifest was readable, so a pack that claims a newer format is damaged.
    return fail(ErrorCode::CorruptData, reader.error().message);
  }
  return reader;
}

Result<ReaderPtr> openContent(const Store& store, const Digest& content,
                              std::uint32_t parentsLeft) {
  STRATA_TRY(const std::vector<Digest> manifests, store.catalog().manifestsWithContent(content));
  std::optional<Error> firstError;
  for (const Digest& manifest : manifests) {
    Result<ReaderPtr> reader = openManifest(store, content, manifest, parentsLeft);
    if (reader) return reader;
    if (!firstError) firstError = std::move(reader).error();
  }
  if (firstError) return fail(*std::move(firstError));
  return fail(ErrorCode::NotFound,
              fmt::format("no version with content {} is in this store", toHex(content)));
}

}  // namespace

Result<ReaderPtr> openVersion(const Store& store, const Digest& contentDigest) {
  return openContent(store, contentDigest, kMostParents);
}

}  // namespace strata
