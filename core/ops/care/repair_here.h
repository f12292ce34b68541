#pragma once

#include <optional>
#include <stop_token>

#include "core/ops/care/recover_versions.h"
#include "core/ops/care/store_parity.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct HereReport {
  ParityRepairReport parity;
  std::optional<Error> parityFailure;  ///< why parity brought back nothing
  RecoverReport recovered;
};

/// Repairs what a store can without another source: first objects by their parity, since that may
/// bring back manifests, then refs and names (recoverVersions). A failure of the first is reported,
/// and the second is done all the same. Fails as recoverVersions.
Result<HereReport> repairHere(Store& store, std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
