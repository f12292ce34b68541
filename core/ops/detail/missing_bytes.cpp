#include "core/ops/detail/missing_bytes.h"

#include <set>

#include "core/checked_math.h"

namespace strata {
namespace {

Result<bool> hasContent(const Store* store, const Digest& content) {
  if (store == nullptr) return false;
  STRATA_TRY(const auto here, store->catalog().withContent(content));
  return !here.empty();
}

}  // namespace

Result<MissingBytes> missingBytes(const RemoteLibrary& library,
                                  const std::vector<const RemoteVersion*>& wanted,
                                  const Store* store) {
  MissingBytes missing;
  std::set<Digest> objects;
  std::set<const RemoteVersion*> seen;
  for (const RemoteVersion* version : wanted) {
    // A remote may lie about parents: no version is looked at twice.
    while (version != nullptr && seen.insert(version).second) {
      STRATA_TRY(const bool isHere, hasContent(store, version->ref.contentDigest));
      if (isHere) break;
      for (const RemoteObject& object : version->objects()) {
        if (!objects.insert(object.digest).second) continue;
        missing.byteCount = saturatingAdd(missing.byteCount, object.byteCount);
      }
      if (!version->parentDigest) missing.basesAreHere = false;
      if (const BaseElsewhere* const base = library.elsewhere(*version); base != nullptr) {
        STRATA_TRY(const bool hasBase, hasContent(store, base->contentDigest));
        missing.basesAreHere = missing.basesAreHere && hasBase;
        if (!hasBase && objects.insert(base->contentDigest).second) {
          missing.byteCount = saturatingAdd(missing.byteCount, base->byteCount);
        }
      }
      version = version->parentDigest ? library.withContent(*version->parentDigest) : nullptr;
    }
  }
  return missing;
}

}  // namespace strata
