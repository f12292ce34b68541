#include "core/ops/care/detail/absent_contents.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/store/objects/awaited_packs.h"

namespace strata {
namespace {

/// Whether some version has all objects of a content.
Result<bool> isHereWhole(const Store& store, const Digest& content) {
  STRATA_TRY(const std::vector<Digest> manifests, store.catalog().manifestsWithContent(content));
  for (const Digest& manifest : manifests) {
    STRATA_TRY(const auto objects, store.catalog().objectsOf(manifest));
    const bool isWhole =
        std::all_of(objects.begin(), objects.end(), [&](const CatalogObject& object) {
          return store.objects().byteCount(object.digest).has_value();
        });
    if (isWhole) return true;
  }
  return false;
}

}  // namespace

Result<AbsentContents> AbsentContents::find(const Store& store,
                                            std::map<std::string, VersionRef>& awaiting) {
  AbsentContents found;
  for (auto at = awaiting.begin(); at != awaiting.end();) {
    const VersionRef& ref = at->second;
    STRATA_TRY(const std::vector<Digest> absent, absentPacks(store, ref));
    STRATA_TRY(const bool isElsewhere, isHereWhole(store, ref.contentDigest));
    if (!isElsewhere) found.commands_.emplace(ref.contentDigest, pullCommand(*ref.awaited));
    at = absent.empty() ? awaiting.erase(at) : std::next(at);
  }
  return found;
}

const std::string* AbsentContents::pullOf(const VersionEntry& version,
                                          const Lineage& lineage) const {
  for (const VersionEntry* one : lineage.lineOf(version)) {
    const auto found = commands_.find(one->contentDigest);
    if (found != commands_.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace strata
