#include "core/ops/care/detail/circle_ends.h"

#include <set>
#include <utility>

#include "core/ops/detail/lineage_reach.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/objects/rebuildable_contents.h"

namespace strata {
namespace {

std::vector<Descent> descentsOf(const std::vector<VersionEntry>& versions) {
  std::vector<Descent> descents;
  for (const VersionEntry& one : versions) {
    descents.push_back({one.contentDigest, one.parentDigest});
  }
  return descents;
}

Result<std::vector<VersionRef>> refsOf(const RefFolder& refs,
                                       const std::vector<VersionEntry>& versions,
                                       const Digest& content) {
  std::vector<VersionRef> found;
  for (const VersionEntry& one : versions) {
    if (one.contentDigest != content) continue;
    const Place place = one.removedAt == 0 ? Place::Live : Place::Trash;
    STRATA_TRY(VersionRef ref, refs.readVersion(one.name, one.number, place));
    found.push_back(std::move(ref));
  }
  return found;
}

}  // namespace

Result<std::vector<std::string>> endCircles(StoreWriter& writer, const TrueCatalog& truth,
                                            const std::stop_token& stop) {
  std::vector<std::string> labels;
  STRATA_TRY(const std::vector<VersionEntry> versions, truth.versions());
  std::vector<Descent> descents = descentsOf(versions);
  std::set<Digest> sound = rebuildableContents(descents);
  STRATA_TRY(const LineageReach reach, LineageReach::load(*truth.catalog));
  std::set<Digest> circling;
  for (const Descent& one : descents) {
    if (!sound.contains(one.content) && reach.standsOn(one.content, one.content)) {
      circling.insert(one.content);
    }
  }
  if (circling.empty()) return labels;
  const Store& store = writer.store();
  STRATA_TRY(const std::vector<UnnamedManifest> loose,
             looseManifests(store.objects(), *truth.catalog, {}, stop, Unread::Skipped));
  const auto serves = [&](const UnnamedManifest& one) {
    const VersionEntry& entry = one.summary.entry;
    const auto& parent = entry.parentDigest;
    return circling.contains(entry.contentDigest) && !sound.contains(entry.contentDigest) &&
           (!parent || sound.contains(*parent)) && one.isWhole();
  };
  // Each that ends makes others end that stand on it.
  for (std::size_t i = 0; i < loose.size();) {
    if (!serves(loose[i])) {
      ++i;
      continue;
    }
    const VersionEntry& entry = loose[i].summary.entry;
    STRATA_TRY(const std::vector<VersionRef> refs,
               refsOf(store.refs(), versions, entry.contentDigest));
    STRATA_TRY(
        writer.replaceManifests("repair", {{refs, loose[i].summary}}, StoreWriter::Former::Kept));
    for (const VersionRef& ref : refs) labels.push_back(ref.label());
    descents.push_back({entry.contentDigest, entry.parentDigest});
    sound = rebuildableContents(descents);
    i = 0;
  }
  return labels;
}

}  // namespace strata
