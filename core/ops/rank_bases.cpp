#include "core/ops/rank_bases.h"

#include "core/match/signature.h"
#include "core/ops/detail/parent_choice.h"

namespace strata {

Result<std::vector<BaseCandidate>> rankStoredBases(const Store& store, const ModelSource& model) {
  return rankCatalogBases(store.catalog(), makeSignature(model.description()));
}

}  // namespace strata
