#include "core/ops/inspect/rank_bases.h"

#include "core/match/signature.h"
#include "core/ops/detail/base_search.h"

namespace strata {

Result<std::vector<BaseCandidate>> rankStoredBases(const Store& store, const ModelSource& model,
                                                   BaseKinds kinds) {
  STRATA_TRY(const Lineage lineage, Lineage::outline(store.catalog()));
  return searchBases(store.catalog(), lineage, makeSignature(model.description()),
                     {.kinds = kinds});
}

}  // namespace strata
