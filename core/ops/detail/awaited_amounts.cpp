#include "core/ops/detail/awaited_amounts.h"

#include <set>

namespace strata {

Result<AwaitedAmounts> AwaitedAmounts::load(const Catalog& catalog, const Lineage& lineage) {
  AwaitedAmounts amounts(lineage);
  STRATA_TRY(const std::vector<AwaitedPack> packs, catalog.awaitedPacks());
  for (const AwaitedPack& pack : packs) amounts.byContent_[pack.contentDigest].push_back(pack);
  return amounts;
}

AwaitedAmount AwaitedAmounts::of(const VersionEntry& version) const {
  AwaitedAmount amount;
  if (byContent_.empty()) return amount;
  std::set<Digest> counted;
  for (const VersionEntry* one : lineage_->lineOf(version)) {
    const auto found = byContent_.find(one->contentDigest);
    if (found == byContent_.end()) continue;
    for (const AwaitedPack& pack : found->second) {
      if (!counted.insert(pack.digest).second) continue;
      ++amount.packCount;
      amount.byteCount += pack.byteCount;
      if (one == &version) amount.ownBytes += pack.byteCount;
    }
  }
  return amount;
}

}  // namespace strata
