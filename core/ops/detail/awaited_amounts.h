#pragma once

#include <map>
#include <vector>

#include "core/digest.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/list_versions.h"
#include "core/result.h"
#include "core/store/catalog/catalog.h"

namespace strata {

/// What restoring each version would have to fetch first, from one reading of the catalog.
class AwaitedAmounts {
 public:
  /// `lineage` has to outlive it.
  static Result<AwaitedAmounts> load(const Catalog& catalog, const Lineage& lineage);

  AwaitedAmount of(const VersionEntry& version) const;

 private:
  explicit AwaitedAmounts(const Lineage& lineage) : lineage_(&lineage) {}

  const Lineage* lineage_;
  std::map<Digest, std::vector<AwaitedPack>> byContent_;
};

}  // namespace strata
