#include "core/ops/exchange/detail/remote_lineages.h"

#include "core/store/objects/rebuildable_contents.h"

namespace strata {

std::vector<const RemoteVersion*> strandedThere(const RemoteLibrary& library,
                                                const std::set<const RemoteVersion*>& leaving) {
  std::vector<Descent> descents;
  std::vector<const RemoteVersion*> staying;
  for (const RemoteVersion* const version : library.all()) {
    const auto& parent = version->parentDigest;
    if (parent && library.withContent(*parent) == nullptr) {
      descents.push_back({*parent, std::nullopt});
    }
    if (leaving.contains(version)) continue;
    staying.push_back(version);
    descents.push_back({version->ref.contentDigest, parent});
  }
  const std::set<Digest> rebuildable = rebuildableContents(descents);
  std::erase_if(staying, [&](const RemoteVersion* version) {
    return rebuildable.contains(version->ref.contentDigest);
  });
  return staying;
}

}  // namespace strata
