#include "core/ops/care/detail/mending_order.h"

#include <algorithm>
#include <tuple>

#include "core/ops/detail/mending_snapshots.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// The name is part of the content.
std::string fileOf(const Store& store, const Digest& content) {
  const auto versions = store.catalog().withContent(content);
  for (const VersionEntry& one : versions.value_or(std::vector<VersionEntry>{})) {
    if (one.format == "folder") continue;
    const auto manifest = readManifest(store, one.manifestDigest, content);
    if (manifest && !manifest->files.empty()) return manifest->files.front().path;
  }
  return {};
}

/// Of versions without their optimizer.
void nameTrashed(const Store& store, std::vector<MendingModel>& models) {
  if (std::ranges::none_of(models, &MendingModel::isWeightsOnly)) return;
  const auto trashed = store.catalog().versions(Place::Trash);
  if (!trashed) return;
  std::map<std::string, TrashedSnapshots> byName;
  for (MendingModel& model : models) {
    const auto version = store.resolve(model.label);
    if (!model.isWeightsOnly || !version) continue;
    const auto found = byName.try_emplace(version->name, store, version->name, *trashed).first;
    const VersionEntry* const snapshot = found->second.behind(*version);
    if (snapshot != nullptr) model.trashed = snapshot->label();
  }
}

}  // namespace

void MendingOrder::add(MendingModel model, std::uint32_t depth) {
  const Digest content = model.contentDigest;
  models_.try_emplace(content, depth, std::move(model));
}

void MendingOrder::add(const VersionEntry& version) {
  add({version.label(), version.contentDigest, version.lossy, {}, isWeightsOnly(version)},
      version.depth);
}

/// Where a parent does not decode, neither does what is a difference to it.
bool MendingOrder::isOfParent(const VersionEntry& version, const Lineage& lineage) const {
  const auto line = lineage.lineOf(version);
  return std::any_of(line.begin() + 1, line.end(), [&](const VersionEntry* parent) {
    return models_.contains(parent->contentDigest) ||
           std::any_of(undecodable_.begin(), undecodable_.end(), [&](const VersionEntry* other) {
             return other->contentDigest == parent->contentDigest;
           });
  });
}

std::vector<MendingModel> MendingOrder::sorted(const Store& store, const Lineage& lineage) {
  for (const VersionEntry* version : undecodable_) {
    if (!isOfParent(*version, lineage)) add(*version);
  }
  std::vector<std::pair<std::uint32_t, MendingModel>> byDepth;
  for (const auto& [content, model] : models_) byDepth.push_back(model);
  std::stable_sort(byDepth.begin(), byDepth.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.label) < std::tie(b.first, b.second.label);
  });
  std::vector<MendingModel> all;
  for (auto& [depth, model] : byDepth) {
    model.file = fileOf(store, model.contentDigest);
    all.push_back(std::move(model));
  }
  nameTrashed(store, all);
  return all;
}

}  // namespace strata
