#include "core/ops/detail/missing_bytes.h"

#include <set>

#include "core/checked_math.h"

namespace strata {

Result<MissingBytes> missingBytes(const RemoteLibrary& library,
                                  const std::vector<const RemoteVersion*>& wanted,
                                  const Store* store) {
  MissingBytes missing;
  std::set<Digest> objects;
  std::set<const RemoteVersion*> seen;
  for (const RemoteVersion* version : wanted) {
    // A remote may lie about parents: no version is looked at twice.
    while (version != nullptr && seen.insert(version).second) {
      if (store != nullptr) {
        STRATA_TRY(const auto here, store->catalog().withContent(version->ref.contentDigest));
        if (!here.empty()) break;
      }
      for (const RemoteObject& object : version->objects()) {
        if (!objects.insert(object.digest).second) continue;
        missing.byteCount = saturatingAdd(missing.byteCount, object.byteCount);
      }
      if (!version->parentDigest) missing.basesAreHere = false;
      version = version->parentDigest ? library.withContent(*version->parentDigest) : nullptr;
    }
  }
  return missing;
}

}  // namespace strata
