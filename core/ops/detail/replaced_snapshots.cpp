#include "core/ops/detail/replaced_snapshots.h"

#include <algorithm>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/run_tags.h"

namespace strata {

Result<std::optional<VersionEntry>> ReplacedSnapshots::inPlaceOf(const RemoteVersion& there) {
  STRATA_TRY(const auto* const all, replacementsOf(renamed_->nameHere(there.ref.name)));
  const auto found = std::ranges::find_if(*all, [&](const Replacement& one) {
    const VersionRef& ref = there.ref;
    if (one.original == ref.contentDigest) return true;
    // Both were made of one original then; the date goes over with the place.
    return there.lossy && one.version.contentDigest != ref.contentDigest &&
           one.version.addedAt == ref.addedAt && one.version.number > ref.number &&
           one.version.originalBytes < there.originalBytes;
  });
  return found == all->end() ? std::nullopt : std::optional(found->version);
}

Result<const std::vector<ReplacedSnapshots::Replacement>*> ReplacedSnapshots::replacementsOf(
    const std::string& name) {
  const auto [found, isNew] = byName_.try_emplace(name);
  if (!isNew) return &found->second;
  STRATA_TRY(auto versions, store_->catalog().versionsOf(name));
  for (VersionEntry& one : versions) {
    if (!isWeightsOnly(one)) continue;
    const auto manifest = readManifest(*store_, one.manifestDigest, one.contentDigest);
    Replacement replacement{std::move(one), {}};
    if (manifest) replacement.original = manifest->originalDigest;
    found->second.push_back(std::move(replacement));
  }
  return &found->second;
}

}  // namespace strata
