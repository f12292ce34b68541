#include "core/store/objects/rebuildable_contents.h"

#include <map>

namespace strata {

std::set<Digest> rebuildableContents(const std::vector<Descent>& descents) {
  std::multimap<Digest, Digest> children;
  std::vector<Digest> found;
  for (const Descent& one : descents) {
    if (one.parent) {
      children.emplace(*one.parent, one.content);
    } else {
      found.push_back(one.content);
    }
  }
  std::set<Digest> rebuildable;
  while (!found.empty()) {
    const Digest content = found.back();
    found.pop_back();
    if (!rebuildable.insert(content).second) continue;
    for (auto [at, last] = children.equal_range(content); at != last; ++at) {
      found.push_back(at->second);
    }
  }
  return rebuildable;
}

}  // namespace strata
