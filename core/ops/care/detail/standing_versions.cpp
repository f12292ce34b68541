#include "core/ops/care/detail/standing_versions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace strata {
namespace {

class Grouping {
 public:
  explicit Grouping(std::span<const VersionEntry> all) : all_(all) {
    std::set<Digest> named;
    for (const VersionEntry& version : all) {
      if (!version.isUnlisted) named.insert(version.contentDigest);
    }
    for (const VersionEntry& version : all) {
      if (!version.isUnlisted || named.contains(version.contentDigest)) continue;
      const bool isNew = removed_.emplace(version.contentDigest, &version).second;
      // Of a content that is there in two ways it is not known which one is read.
      if (!isNew) twice_.insert(version.contentDigest);
    }
  }

  /// All that rebuilding `content` reads stays.
  void keep(std::optional<Digest> content) {
    while (content && removed_.contains(*content) && staying_.insert(*content).second) {
      content = removed_.at(*content)->parentDigest;
    }
  }

  std::vector<StandingGroup> run(const std::function<bool(const VersionEntry&)>& isHere) {
    for (const Digest& content : twice_) keep(content);
    for (const VersionEntry& version : all_) {
      if (!version.isUnlisted && (version.lossy || !isHere(version))) keep(version.parentDigest);
    }
    std::map<Digest, StandingGroup> groups;
    std::set<Digest> manifests;
    for (const VersionEntry& version : all_) {
      if (version.isUnlisted || !leaves(version.parentDigest)) continue;
      if (!manifests.insert(version.manifestDigest).second) continue;
      groups[top(*version.parentDigest)].dependants.push_back(version);
    }
    std::vector<StandingGroup> all;
    for (auto& [content, group] : groups) {
      group.parent = removed_.at(content)->parentDigest;
      for (const auto& [other, version] : removed_) {
        if (leaves(other) && top(other) == content) group.removed.push_back(*version);
      }
      std::stable_sort(
          group.dependants.begin(), group.dependants.end(),
          [](const VersionEntry& a, const VersionEntry& b) { return a.addedAt < b.addedAt; });
      all.push_back(std::move(group));
    }
    return all;
  }

 private:
  bool leaves(const std::optional<Digest>& content) const {
    return content && removed_.contains(*content) && !staying_.contains(*content);
  }

  /// The last of a line of removed versions.
  Digest top(Digest content) const {
    std::set<Digest> seen;
    while (seen.insert(content).second) {
      const auto& parent = removed_.at(content)->parentDigest;
      if (!leaves(parent)) break;
      content = *parent;
    }
    return content;
  }

  std::span<const VersionEntry> all_;
  std::map<Digest, const VersionEntry*> removed_;  ///< by content
  std::set<Digest> twice_;
  std::set<Digest> staying_;
};

}  // namespace

std::vector<StandingGroup> standingGroups(std::span<const VersionEntry> all,
                                          std::span<const Digest> wanted,
                                          const std::function<bool(const VersionEntry&)>& isHere) {
  Grouping grouping(all);
  for (const Digest& content : wanted) grouping.keep(content);
  return grouping.run(isHere);
}

}  // namespace strata
