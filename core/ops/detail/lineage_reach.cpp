#include "core/ops/detail/lineage_reach.h"

#include <vector>

#include "core/archive/read/lineage_limit.h"

namespace strata {
namespace {

using Edges = std::map<Digest, std::set<Digest>>;

/// What the contents of `level` lead to, in one step.
std::set<Digest> nextOf(const Edges& edges, const std::set<Digest>& level) {
  std::set<Digest> next;
  for (const Digest& content : level) {
    const auto found = edges.find(content);
    if (found != edges.end()) next.insert(found->second.begin(), found->second.end());
  }
  return next;
}

}  // namespace

Result<LineageReach> LineageReach::load(const Catalog& catalog) {
  LineageReach reach;
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const std::vector<VersionEntry> versions, catalog.versions(place));
    for (const VersionEntry& version : versions) {
      if (!version.parentDigest) continue;
      reach.parents_[version.contentDigest].insert(*version.parentDigest);
      reach.children_[*version.parentDigest].insert(version.contentDigest);
    }
  }
  return reach;
}

bool LineageReach::standsOn(const Digest& content, const Digest& other) const {
  std::set<Digest> seen;
  std::set<Digest> level = nextOf(parents_, {content});
  while (!level.empty()) {
    if (level.contains(other)) return true;
    seen.insert(level.begin(), level.end());
    level = nextOf(parents_, level);
    std::erase_if(level, [&](const Digest& one) { return seen.contains(one); });
  }
  return false;
}

std::size_t LineageReach::longest(const Edges& edges, const Digest& from) {
  std::size_t length = 0;
  std::set<Digest> level = nextOf(edges, {from});
  // Contents that are stored in several ways may seem to run in a circle.
  for (; !level.empty() && length <= kMostParents; ++length) level = nextOf(edges, level);
  return length;
}

}  // namespace strata
