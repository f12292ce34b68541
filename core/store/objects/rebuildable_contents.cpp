#include "core/store/objects/rebuildable_contents.h"

#include <map>
#include <utility>

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

Result<std::set<Digest>> rebuildableOf(
    std::vector<Digest> contents,
    const std::function<Result<std::vector<Descent>>(const Digest&)>& codingsOf) {
  std::vector<Descent> descents;
  std::set<Digest> seen;
  while (!contents.empty()) {
    const Digest content = contents.back();
    contents.pop_back();
    if (!seen.insert(content).second) continue;
    STRATA_TRY(const std::vector<Descent> codings, codingsOf(content));
    for (const Descent& one : codings) {
      descents.push_back(one);
      if (one.parent) contents.push_back(*one.parent);
    }
  }
  return rebuildableContents(descents);
}

}  // namespace strata
