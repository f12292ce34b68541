#include "core/store/objects/ending_codings.h"

#include <map>
#include <set>

#include "core/store/objects/rebuildable_contents.h"

namespace strata {
namespace {

using Edges = std::map<Digest, std::set<Digest>>;

/// Takes away what has no edge out, and then what has none left, until all of the rest have one.
void dropEnds(Edges& out, Edges& in) {
  std::vector<Digest> ends;
  for (const auto& [content, targets] : out) {
    if (targets.empty()) ends.push_back(content);
  }
  while (!ends.empty()) {
    const Digest content = ends.back();
    ends.pop_back();
    for (const Digest& source : in[content]) {
      std::set<Digest>& targets = out[source];
      targets.erase(content);
      if (targets.empty()) ends.push_back(source);
    }
    out.erase(content);
    in.erase(content);
  }
}

/// Contents in circles, and between two of them. `sound` ones are in none.
std::set<Digest> circling(const std::vector<Descent>& descents, const std::set<Digest>& sound) {
  Edges parents;
  Edges children;
  for (const Descent& one : descents) {
    if (sound.contains(one.content) || !one.parent) continue;
    parents[one.content].insert(*one.parent);
    children[*one.parent].insert(one.content);
    parents.try_emplace(*one.parent);
    children.try_emplace(one.content);
  }
  dropEnds(parents, children);
  dropEnds(children, parents);
  std::set<Digest> contents;
  for (const auto& [content, targets] : parents) contents.insert(content);
  return contents;
}

std::vector<Descent> descentsOf(const std::vector<VersionEntry>& versions) {
  std::vector<Descent> descents;
  for (const VersionEntry& one : versions) {
    descents.push_back({one.contentDigest, one.parentDigest});
  }
  return descents;
}

}  // namespace

bool hasCircles(const std::vector<VersionEntry>& versions) {
  const std::vector<Descent> descents = descentsOf(versions);
  return !circling(descents, rebuildableContents(descents)).empty();
}

std::vector<UnnamedManifest> endingCodings(const std::vector<VersionEntry>& versions,
                                           const std::vector<UnnamedManifest>& loose) {
  std::vector<Descent> descents = descentsOf(versions);
  std::set<Digest> sound = rebuildableContents(descents);
  const std::set<Digest> contents = circling(descents, sound);
  std::vector<UnnamedManifest> ending;
  const auto ends = [&](const UnnamedManifest& one) {
    const VersionEntry& entry = one.summary.entry;
    return contents.contains(entry.contentDigest) && !sound.contains(entry.contentDigest) &&
           (!entry.parentDigest || sound.contains(*entry.parentDigest)) && one.isWhole();
  };
  for (bool isChanged = !contents.empty(); isChanged;) {
    isChanged = false;
    for (const UnnamedManifest& one : loose) {
      if (!ends(one)) continue;
      ending.push_back(one);
      descents.push_back({one.summary.entry.contentDigest, one.summary.entry.parentDigest});
      sound = rebuildableContents(descents);
      isChanged = true;
    }
  }
  return ending;
}

}  // namespace strata
