#pragma once

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/repair_here.h"
#include "core/ops/care/repair_store.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/trust_store.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// Jobs that look after a store, `gc` and `verify --repair` of the command line. They hold its lock
/// or replace objects, so they go to the lane of writers. Those about trust do not: they read and
/// write the user's own list alone.

OpJob<GarbageReport>* garbageJob(const StorePtr& store, bool dryRun);
/// Fetches what is damaged or missing from a remote of the store, named as `--from` takes it.
OpJob<RepairReport>* repairJob(const StorePtr& store, const QString& remote);

/// What came back with what the store itself has, and how sound the store is then.
struct MendReport {
  HereReport here;
  VerifyReport after;
};
/// Brings back what parity protects, writes lost refs anew and names models without one: `verify
/// --repair` without a remote.
OpJob<MendReport>* mendJob(const StorePtr& store);

/// What the files of the store in a folder say that needs the user's word: `config trust`.
OpJob<TrustReview>* trustJob(const QString& folder);
/// Confirms what was reviewed, and reviews again.
OpJob<TrustReview>* confirmTrustJob(const TrustReview& review);

}  // namespace strata::gui
