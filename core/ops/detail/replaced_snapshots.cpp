#include "core/ops/detail/replaced_snapshots.h"

#include "core/store/catalog/manifest_summary.h"
#include "core/store/run_tags.h"

namespace strata {

namespace {

std::optional<Digest> originalOf(const Store& store, const VersionEntry& version) {
  const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
  return manifest ? manifest->originalDigest : std::nullopt;
}

}  // namespace

Result<std::optional<VersionEntry>> ReplacedSnapshots::inPlaceOf(const RemoteVersion& there) {
  const std::string& name = renamed_->nameHere(there.ref.name);
  STRATA_TRY(const auto* const all, replacementsOf(name));
  for (const Replacement& one : *all) {
    const bool isMadeOfIt = isWeightsOnly(one.version) && one.original == there.ref.contentDigest;
    if (isMadeOfIt) return one.version;
    STRATA_TRY(const bool tookOver, tookPlace(name, there, one));
    if (tookOver) return one.version;
  }
  return std::nullopt;
}

/// Of a lossy version, which was made of the same original: the date goes over with the place. That
/// it was here tells it from what another machine stored in the same second.
Result<bool> ReplacedSnapshots::tookPlace(const std::string& name, const RemoteVersion& there,
                                          const Replacement& one) const {
  const VersionRef& ref = there.ref;
  const bool mayBe = there.lossy && one.version.contentDigest != ref.contentDigest &&
                     one.version.addedAt == ref.addedAt && one.version.number > ref.number;
  if (!mayBe) return false;
  STRATA_TRY(const auto removed, store_->catalog().version(name, ref.number, Place::Trash));
  if (removed && removed->contentDigest == ref.contentDigest) {
    return one.original && originalOf(*store_, *removed) == one.original;
  }
  const LastNumber last = store_->refs().readLastNumber(name).value_or(LastNumber{});
  return last.former.contains(ref.number) && last.allows(ref.number, ref.contentDigest);
}

Result<const std::vector<ReplacedSnapshots::Replacement>*> ReplacedSnapshots::replacementsOf(
    const std::string& name) {
  const auto [found, isNew] = byName_.try_emplace(name);
  if (!isNew) return &found->second;
  STRATA_TRY(auto versions, store_->catalog().versionsOf(name));
  for (VersionEntry& one : versions) {
    if (!one.lossy) continue;
    const auto original = originalOf(*store_, one);
    found->second.push_back({std::move(one), original});
  }
  return &found->second;
}

}  // namespace strata
