#include "core/store/objects/version_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/archive/read/lineage_limit.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/objects/ending_codings.h"

namespace strata {
namespace {

using ReaderPtr = std::shared_ptr<const VersionReader>;

/// Manifests that no version names, by content: they end circles of parents.
using EndingManifests = std::map<Digest, std::vector<Digest>>;

/// Reads the beginning of all objects that no version needs.
Result<EndingManifests> endsOfCircles(const Store& store) {
  STRATA_TRY(std::vector<VersionEntry> versions, store.catalog().versions());
  STRATA_TRY(const auto trashed, store.catalog().versions(Place::Trash));
  versions.insert(versions.end(), trashed.begin(), trashed.end());
  EndingManifests ends;
  if (!hasCircles(versions)) return ends;
  STRATA_TRY(const std::vector<UnnamedManifest> loose,
             looseManifests(store.objects(), store.catalog(), {}, {}, Unread::Skipped));
  for (const UnnamedManifest& one : endingCodings(versions, loose)) {
    ends[one.summary.entry.contentDigest].push_back(one.digest);
  }
  return ends;
}

/// Opens the versions of one lineage. Each content is tried once: a lineage that runs in a circle,
/// or whose far end is damaged, ends there, however many manifests name it.
class LineageOpener {
 public:
  /// `first`: the manifest that is tried before others of its content.
  explicit LineageOpener(const Store& store, std::optional<Digest> first = {},
                         EndingManifests ends = {})
      : store_(store), first_(first), ends_(std::move(ends)) {}

  /// Whether a lineage ran in a circle.
  bool metCircle() const noexcept { return metCircle_; }

  /// `depth`: versions that are rebuilt through it.
  Result<ReaderPtr> openContent(const Digest& content, std::size_t depth = 0) {
    if (!tried_.insert(content).second) {
      metCircle_ = true;
      return fail(ErrorCode::CorruptData,
                  fmt::format("the lineage of content {} runs in a circle", shortHex(content)));
    }
    if (depth > kMostParents) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("its lineage has more than {} parents", kMostParents));
    }
    STRATA_TRY(std::vector<Digest> manifests, store_.catalog().manifestsWithContent(content));
    std::stable_partition(manifests.begin(), manifests.end(),
                          [&](const Digest& manifest) { return manifest == first_; });
    // One that ends a circle stands on nothing that is in it.
    const auto ends = ends_.find(content);
    if (ends != ends_.end()) {
      manifests.insert(manifests.begin(), ends->second.begin(), ends->second.end());
    }
    std::optional<Error> firstError;
    for (const Digest& manifest : manifests) {
      Result<ReaderPtr> reader = openManifest(content, manifest, depth);
      if (reader) return reader;
      if (!firstError) firstError = std::move(reader).error();
    }
    if (firstError) return fail(explainMissing(store_, content, *std::move(firstError)));
    return fail(depth == 0 ? ErrorCode::NotFound : ErrorCode::BaseMismatch,
                fmt::format("no version with content {} is in this store", toHex(content)));
  }

  /// The version that one manifest describes, whatever others hold its content.
  Result<ReaderPtr> openOnly(const Digest& content, const Digest& manifest) {
    tried_.insert(content);
    return openManifest(content, manifest, 0);
  }

 private:
  Result<ReaderPtr> openManifest(const Digest& content, const Digest& manifest, std::size_t depth) {
    STRATA_TRY(Manifest parsed, readManifest(store_, manifest, content));
    ReaderPtr parent;
    if (parsed.parentDigest) {
      STRATA_TRY(parent, openContent(*parsed.parentDigest, depth + 1));
    }
    auto reader = VersionReader::open(std::move(parsed), std::move(parent), store_);
    if (!reader && reader.error().code == ErrorCode::FormatTooNew) {
      // The manifest was readable, so a pack that claims a newer format is damaged.
      return fail(ErrorCode::CorruptData, reader.error().message);
    }
    return reader;
  }

  const Store& store_;
  std::optional<Digest> first_;
  EndingManifests ends_;
  std::set<Digest> tried_;
  bool metCircle_ = false;
};

/// A circle of parents may be ended by a coding that no version names, as a repair does it.
Result<ReaderPtr> openByEnds(const Store& store, const Digest& content, std::optional<Digest> first,
                             Result<ReaderPtr> failed) {
  auto ends = endsOfCircles(store);
  if (!ends || ends->empty()) return failed;
  Result<ReaderPtr> reader = LineageOpener(store, first, *std::move(ends)).openContent(content);
  return reader ? std::move(reader) : std::move(failed);
}

Result<ReaderPtr> openBy(const Store& store, const Digest& content, std::optional<Digest> first) {
  // A writer may give a version of the lineage another manifest and delete the one that was read.
  for (;;) {
    STRATA_TRY(const std::int64_t before, store.catalog().dataVersion());
    LineageOpener opener(store, first);
    Result<ReaderPtr> reader = opener.openContent(content);
    if (reader) return reader;
    STRATA_TRY(const std::int64_t after, store.catalog().dataVersion());
    if (after != before) continue;
    return opener.metCircle() ? openByEnds(store, content, first, std::move(reader)) : reader;
  }
}

}  // namespace

Result<ReaderPtr> openVersion(const Store& store, const Digest& contentDigest) {
  return openBy(store, contentDigest, std::nullopt);
}

Result<ReaderPtr> openVersion(const Store& store, const VersionEntry& version) {
  auto opened = openBy(store, version.contentDigest, version.manifestDigest);
  if (opened || opened.error().code != ErrorCode::NotFound) return opened;
  // Of versions that share packs, any of them may have been named.
  const auto ref = store.refs().readVersion(version.name, version.number, version.place());
  const auto absent = ref ? absentPacks(store, *ref) : fail(ref.error());
  return absent && !absent->empty() ? fail(awaitedPacksError(*ref)) : fail(opened.error());
}

Result<ReaderPtr> openVersionOf(const Store& store, const Digest& manifestDigest,
                                const Digest& contentDigest) {
  return LineageOpener(store).openOnly(contentDigest, manifestDigest);
}

}  // namespace strata
