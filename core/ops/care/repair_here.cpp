#include "core/ops/care/repair_here.h"

#include <utility>

namespace strata {

Result<HereReport> repairHere(Store& store, std::stop_token stop, const ProgressSink& progress) {
  HereReport report;
  auto rebuilt = repairByParity(store, stop, progress);
  if (rebuilt) {
    report.parity = *rebuilt;
  } else {
    const ErrorCode code = rebuilt.error().code;
    if (code == ErrorCode::Cancelled || code == ErrorCode::StoreLocked)
      return fail(rebuilt.error());
    report.parityFailure = rebuilt.error();
  }
  STRATA_TRY(report.recovered, recoverVersions(store, stop));
  auto mended = mendSnapshots(store, stop, progress);
  if (mended) {
    report.snapshots = *std::move(mended);
  } else {
    const ErrorCode code = mended.error().code;
    if (code == ErrorCode::Cancelled || code == ErrorCode::StoreLocked) return fail(mended.error());
    report.snapshotFailure = mended.error();
  }
  return report;
}

}  // namespace strata
