#include "core/ops/runs/mend_snapshots.h"

#include "core/ops/detail/mending_snapshots.h"
#include "core/ops/detail/stored_model.h"
#include "core/ops/runs/detail/weights_mending.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

/// Whether the version needed it: what it stands on may have been mended before it.
Result<bool> mendBy(Store& store, const MendingSnapshot& one, const std::stop_token& stop,
                    const ProgressSink& progress) {
  STRATA_TRY(const auto reader, openVersion(store, one.snapshot));
  STRATA_TRY(const auto model,
             StoredModel::open(*reader, one.snapshot.label(), nullptr, {}, stop, progress));
  const WeightsMending options{.run = one.damaged.name, .tag = {}, .number = one.damaged.number};
  STRATA_TRY(const auto mended, mendWeightsOnly(store, options, *model, stop, progress));
  return !mended.empty();
}

}  // namespace

Result<MendedSnapshots> mendSnapshots(Store& store, const std::stop_token& stop,
                                      const ProgressSink& progress) {
  LineageCheck check(store);
  STRATA_TRY(const auto trashed, store.catalog().versions(Place::Trash));
  STRATA_TRY(const auto versions, store.catalog().versions());
  STRATA_TRY(const auto mending, mendingSnapshots(store, check, versions, trashed, stop, progress));
  MendedSnapshots report;
  for (const MendingSnapshot& one : mending) {
    const auto done = mendBy(store, one, stop, progress);
    if (!done && done.error().code == ErrorCode::Cancelled) return fail(done.error());
    MendedSnapshots::Pair pair{one.damaged.label(), one.snapshot.label()};
    if (done && *done) report.mended.push_back(std::move(pair));
    if (done) continue;
    pair.why = done.error().message;
    report.failed.push_back(std::move(pair));
  }
  return report;
}

}  // namespace strata
