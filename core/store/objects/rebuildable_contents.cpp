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

std::map<Digest, std::size_t> copiesToRebuild(const std::vector<Descent>& copies) {
  std::map<Digest, std::size_t> chosen;
  std::multimap<Digest, std::size_t> children;
  std::set<Digest> listed;
  std::vector<Digest> ready;  // those with fewer parents first
  const auto choose = [&](std::size_t place) {
    const Digest& content = copies[place].content;
    if (chosen.emplace(content, place).second) ready.push_back(content);
  };
  for (std::size_t i = 0; i < copies.size(); ++i) {
    listed.insert(copies[i].content);
    if (!copies[i].parent) choose(i);
    if (copies[i].parent) children.emplace(*copies[i].parent, i);
  }
  std::size_t done = 0;
  const auto chooseChildren = [&] {
    for (; done < ready.size(); ++done) {
      const auto [first, last] = children.equal_range(ready[done]);
      for (auto at = first; at != last; ++at) choose(at->second);
    }
  };
  chooseChildren();
  // Then what ends at a parent that is not among them, and last what runs in a circle.
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].parent && !listed.contains(*copies[i].parent)) choose(i);
  }
  chooseChildren();
  for (std::size_t i = 0; i < copies.size(); ++i) choose(i);
  return chosen;
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
