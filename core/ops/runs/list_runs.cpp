#include "core/ops/runs/list_runs.h"

#include "core/ops/runs/run_tags.h"
#include "core/ops/runs/snapshot_state.h"

namespace strata {

Result<std::vector<RunRow>> listRuns(const Store& store) {
  STRATA_TRY(const auto versions, store.catalog().versions());
  std::vector<RunRow> rows;
  // Sorted by name and number: the last one of a name is its newest.
  for (const VersionEntry& version : versions) {
    if (!isSnapshot(version)) continue;
    if (rows.empty() || rows.back().run != version.name) rows.push_back({.run = version.name});
    RunRow& row = rows.back();
    ++row.snapshotCount;
    row.newest = version;
    row.originalBytes += version.originalBytes;
    row.storedBytes += version.storedBytes;
  }
  for (RunRow& row : rows) row.state = snapshotState(store, row.newest);
  return rows;
}

}  // namespace strata
