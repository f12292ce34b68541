#pragma once

#include "core/ops/collect_garbage.h"
#include "core/ops/repair_store.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// Jobs that look after a store, `gc` and `verify --repair` of the command line. Both hold its lock
/// or replace objects, so they go to the lane of writers.

OpJob<GarbageReport>* garbageJob(const StorePtr& store, bool dryRun);
/// Fetches what is damaged or missing from a remote of the store, named as `--from` takes it.
OpJob<RepairReport>* repairJob(const StorePtr& store, const QString& remote);

}  // namespace strata::gui
