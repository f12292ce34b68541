#pragma once

#include <optional>
#include <stop_token>

#include "core/ops/care/recover_versions.h"
#include "core/ops/care/store_parity.h"
#include "core/ops/runs/mend_snapshots.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct HereReport {
  ParityRepairReport parity;
  std::optional<Error> parityFailure;  ///< why parity brought back nothing
  RecoverReport recovered;
  MendedSnapshots snapshots;
  std::optional<Error> snapshotFailure;  ///< why those were not looked at
};

/// Repairs what a store can without another source: first objects by their parity, since that may
/// bring back manifests, then refs and names (recoverVersions), then versions without their
/// optimizer by the snapshots that they were made of (mendSnapshots). A failure of the first or
/// last is reported, and the others are done all the same. Fails as recoverVersions.
Result<HereReport> repairHere(Store& store, std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
