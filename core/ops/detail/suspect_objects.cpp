#include "core/ops/detail/suspect_objects.h"

#include "core/store/check_dates.h"
#include "core/store/object_check.h"

namespace strata {

SuspectObjects::SuspectObjects(const Store& store)
    : store_(store), marked_(damagedObjects(store.folder()).value_or(std::set<Digest>{})) {}

bool SuspectObjects::isHere(const Digest& digest, std::uint64_t byteCount) const {
  const auto here = store_.objects().byteCount(digest);
  if (!here || *here != byteCount) return false;
  if (!marked_.contains(digest)) return true;
  const auto [known, isNew] = isSound_.try_emplace(digest, false);
  if (isNew) {
    const auto problem = objectProblem(store_.objects(), {digest, byteCount}, ObjectCheck::Hash, {},
                                       [](std::uint64_t) {});
    known->second = problem && problem->empty();
  }
  return known->second;
}

}  // namespace strata
