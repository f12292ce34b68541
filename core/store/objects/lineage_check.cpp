#include "core/store/objects/lineage_check.h"

#include <algorithm>
#include <memory>

#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/objects/object_check.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

using ReaderPtr = std::shared_ptr<const VersionReader>;

/// Of the version and of the parents it is decoded through.
std::vector<Digest> packsOfLineage(const VersionReader* reader) {
  std::vector<Digest> packs;
  for (; reader != nullptr; reader = reader->parent()) {
    const std::vector<Digest>& own = reader->manifest().packs;
    packs.insert(packs.end(), own.begin(), own.end());
  }
  return packs;
}

/// Whether an error says more than that something is damaged.
bool isRefusal(ErrorCode code) noexcept {
  return code == ErrorCode::FormatTooNew || code == ErrorCode::Cancelled;
}

}  // namespace

Result<bool> LineageCheck::isSound(const VersionEntry& version, const std::stop_token& stop,
                                   const ProgressSink& progress) {
  const auto manifest = readManifest(store_, version.manifestDigest, version.contentDigest);
  if (!manifest && isRefusal(manifest.error().code)) return fail(manifest.error());
  if (!manifest) return false;
  STRATA_TRY(const bool isWhole, areSound(manifest->packs, version.label(), stop, progress));
  if (!isWhole) return false;
  const auto reader = openVersionOf(store_, version.manifestDigest, version.contentDigest);
  if (reader) return areSound(packsOfLineage(reader->get()), version.label(), stop, progress);
  if (isRefusal(reader.error().code)) return fail(reader.error());
  // Its own packs are here, so it is a parent that awaits its packs.
  return reader.error().code == ErrorCode::NotFound;
}

Result<bool> LineageCheck::isSoundOrAwaited(const VersionEntry& version,
                                            const std::stop_token& stop,
                                            const ProgressSink& progress) {
  if (awaitedBy(store_, version)) return true;
  return isSound(version, stop, progress);
}

Result<bool> LineageCheck::servesAsParent(const VersionEntry& version, const std::stop_token& stop,
                                          const ProgressSink& progress) {
  const auto reader = openVersion(store_, version.contentDigest);
  if (reader) return areSound(packsOfLineage(reader->get()), version.label(), stop, progress);
  if (isRefusal(reader.error().code)) return fail(reader.error());
  return false;
}

Result<bool> LineageCheck::areSound(const std::vector<Digest>& packs, const std::string& label,
                                    const std::stop_token& stop, const ProgressSink& progress) {
  std::uint64_t totalBytes = 0;
  std::vector<CatalogObject> unknown;
  for (const Digest& pack : packs) {
    const auto known = isSound_.find(pack);
    if (known != isSound_.end() && !known->second) return false;
    if (known != isSound_.end()) continue;
    unknown.push_back({pack, store_.objects().byteCount(pack).value_or(0)});
    totalBytes += unknown.back().byteCount;
  }
  ProgressMeter meter(progress, "checking", totalBytes);
  for (const CatalogObject& pack : unknown) {
    STRATA_TRY(const std::string problem,
               objectProblem(store_.objects(), pack, ObjectCheck::Hash, stop,
                             [&](std::uint64_t bytes) { meter.add(bytes, label); }));
    isSound_[pack.digest] = problem.empty();
    if (!problem.empty()) return false;
  }
  return true;
}

}  // namespace strata
