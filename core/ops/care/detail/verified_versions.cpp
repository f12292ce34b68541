#include "core/ops/care/detail/verified_versions.h"

namespace strata {

Result<VerifiedVersions> VerifiedVersions::load(const Store& store, const Lineage& lineage,
                                                const std::vector<std::string>& references) {
  VerifiedVersions versions;
  std::vector<VersionEntry>& all = versions.all_;
  std::set<std::string> labels;
  for (const std::string& reference : references) {
    STRATA_TRY(const VersionEntry version, store.resolve(reference));
    for (const VersionEntry* one : lineage.lineOf(version)) {
      if (labels.insert(one->label()).second) all.push_back(*one);
    }
  }
  if (references.empty()) {
    STRATA_TRY(all, store.catalog().versions(Place::Live));
    STRATA_TRY(const auto trashed, store.catalog().versions(Place::Trash));
    all.insert(all.end(), trashed.begin(), trashed.end());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    versions.byLabel_.emplace(all[i].label(), i);
    versions.byContent_.emplace(all[i].contentDigest, i);
    if (all[i].parentDigest) versions.byParent_.emplace(*all[i].parentDigest, i);
  }
  return versions;
}

std::set<std::string> VerifiedVersions::dependingOn(const Digest& content) const {
  std::set<std::string> labels;
  std::set<Digest> seen{content};
  for (std::vector<Digest> rest{content}; !rest.empty();) {
    const Digest next = rest.back();
    rest.pop_back();
    for (auto [at, last] = byContent_.equal_range(next); at != last; ++at) {
      labels.insert(all_[at->second].label());
    }
    for (auto [at, last] = byParent_.equal_range(next); at != last; ++at) {
      const Digest& child = all_[at->second].contentDigest;
      if (seen.insert(child).second) rest.push_back(child);
    }
  }
  return labels;
}

}  // namespace strata
