#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/ops/detail/lineage.h"

namespace strata {

/// Which models mend a damaged store if they are added again, the one first that helps most.
class MendingOrder {
 public:
  /// A model whose own objects are damaged. `depth`: parents that it is rebuilt through.
  void add(MendingModel model, std::uint32_t depth);
  void add(const VersionEntry& version);
  /// A version that does not decode: because of its own objects, or those of its parents. Borrowed.
  void addUndecodable(const VersionEntry& version) { undecodable_.push_back(&version); }

  /// Each content once, parents before what is a difference to them.
  std::vector<MendingModel> sorted(const Store& store, const Lineage& lineage);

 private:
  bool isOfParent(const VersionEntry& version, const Lineage& lineage) const;

  std::map<Digest, std::pair<std::uint32_t, MendingModel>> models_;  ///< with depths, by content
  std::vector<const VersionEntry*> undecodable_;
};

}  // namespace strata
