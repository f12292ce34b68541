#include "core/ops/detail/mending_snapshots.h"

#include <algorithm>
#include <optional>

#include "core/model/checkpoint.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// Nothing where the manifest is damaged.
std::optional<std::vector<std::pair<std::string, Digest>>> filesWithoutOptimizer(
    const Store& store, const VersionEntry& version) {
  const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
  if (!manifest) return std::nullopt;
  std::vector<std::pair<std::string, Digest>> files;
  for (const ManifestFile& file : manifest->files) {
    if (!isOptimizerFile(file.path)) files.emplace_back(file.path, file.sha256);
  }
  return files;
}

}  // namespace

TrashedSnapshots::TrashedSnapshots(const Store& store, const std::string& name,
                                   const std::vector<VersionEntry>& trashed)
    : store_(store) {
  for (const VersionEntry& one : trashed) {
    if (one.name != name || one.isUnlisted || isWeightsOnly(one)) continue;
    const auto files = filesWithoutOptimizer(store, one);
    if (!files) continue;
    const auto [found, isNew] = snapshots_.try_emplace(*files, one);
    if (!isNew && found->second.removedAt < one.removedAt) found->second = one;
  }
}

const VersionEntry* TrashedSnapshots::behind(const VersionEntry& weightsOnly) const {
  if (snapshots_.empty()) return nullptr;
  const auto files = filesWithoutOptimizer(store_, weightsOnly);
  const auto found = files ? snapshots_.find(*files) : snapshots_.end();
  return found == snapshots_.end() ? nullptr : &found->second;
}

Result<std::vector<MendingSnapshot>> mendingSnapshots(const Store& store, LineageCheck& check,
                                                      const std::vector<VersionEntry>& versions,
                                                      const std::vector<VersionEntry>& trashed,
                                                      const std::stop_token& stop,
                                                      const ProgressSink& progress) {
  std::map<std::string, std::vector<VersionEntry>> weightsOnly;
  for (const VersionEntry& one : versions) {
    if (one.place() == Place::Live && isWeightsOnly(one)) weightsOnly[one.name].push_back(one);
  }
  std::vector<MendingSnapshot> found;
  for (auto& [name, ofName] : weightsOnly) {
    const TrashedSnapshots snapshots(store, name, trashed);
    sortByAge(ofName);
    for (const VersionEntry& version : ofName) {
      const VersionEntry* const snapshot = snapshots.behind(version);
      if (snapshot == nullptr || awaitedBy(store, version)) continue;
      STRATA_TRY(const bool isSound, check.isSound(version, stop, progress));
      if (isSound) continue;
      STRATA_TRY(const bool mends, check.isSound(*snapshot, stop, progress));
      if (mends) found.push_back({*snapshot, version});
    }
  }
  return found;
}

}  // namespace strata
