#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ops/detail/lineage.h"
#include "core/store/store.h"

namespace strata {

/// The versions that a verification is about, and which of them stand on which.
class VerifiedVersions {
 public:
  /// Those that `references` name with their parents; none: all, the trash's, too. Fails as
  /// Store::resolve, and with what the catalog fails with.
  static Result<VerifiedVersions> load(const Store& store, const Lineage& lineage,
                                       const std::vector<std::string>& references);

  const std::vector<VersionEntry>& all() const noexcept { return all_; }
  const VersionEntry& at(const std::string& label) const { return all_[byLabel_.at(label)]; }
  /// Labels of all versions that cannot be rebuilt without a content.
  std::set<std::string> dependingOn(const Digest& content) const;

 private:
  std::vector<VersionEntry> all_;
  std::map<std::string, std::size_t> byLabel_;
  std::multimap<Digest, std::size_t> byContent_, byParent_;
};

}  // namespace strata
