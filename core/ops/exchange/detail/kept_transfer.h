#pragma once

#include <algorithm>

#include "core/ops/exchange/push_versions.h"
#include "core/transfer/transfer_claim.h"

namespace strata {

/// Ends the entry of a push or pull by what became of it: what failed in part is listed as failed.
/// `claim` may be null.
template <typename Report>
void conclude(TransferClaim* claim, const Result<Report>& outcome) {
  if (claim == nullptr) return;
  if (!outcome) return claim->fail(outcome.error());
  if (outcome->failed.empty()) return claim->finish();
  const FailedTransfer& first = outcome->failed.front();
  const bool isNamed = first.error.message.starts_with(first.label);
  claim->fail(isNamed ? first.error : first.error.within(first.label));
}

}  // namespace strata
