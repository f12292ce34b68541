#include "core/ops/care/detail/circle_ends.h"

#include <utility>

#include "core/store/objects/ending_codings.h"
#include "core/store/objects/needed_objects.h"

namespace strata {
namespace {

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
  if (!hasCircles(versions)) return labels;
  const Store& store = writer.store();
  STRATA_TRY(const std::vector<UnnamedManifest> loose,
             looseManifests(store.objects(), *truth.catalog, {}, stop, Unread::Skipped));
  for (const UnnamedManifest& one : endingCodings(versions, loose)) {
    STRATA_TRY(const std::vector<VersionRef> refs,
               refsOf(store.refs(), versions, one.summary.entry.contentDigest));
    STRATA_TRY(writer.replaceManifests("repair", {{refs, one.summary}}, StoreWriter::Former::Kept));
    for (const VersionRef& ref : refs) labels.push_back(ref.label());
  }
  return labels;
}

}  // namespace strata
