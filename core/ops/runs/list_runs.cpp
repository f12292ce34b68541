#include "core/ops/runs/list_runs.h"

#include <map>
#include <utility>

#include "core/ops/runs/snapshot_state.h"
#include "core/store/run_tags.h"

namespace strata {

Result<std::vector<RunRow>> listRuns(const Store& store) {
  STRATA_TRY(const auto versions, store.catalog().versions());
  std::map<std::string, std::vector<VersionEntry>> runs;
  for (const VersionEntry& version : versions) {
    if (isSnapshot(version)) runs[version.name].push_back(version);
  }
  std::vector<RunRow> rows;
  for (const auto& [run, snapshots] : runs) {
    RunRow row{.run = run,
               .snapshotCount = static_cast<std::uint32_t>(snapshots.size()),
               .newest = newestOf(snapshots)};
    for (const VersionEntry& one : snapshots) {
      row.originalBytes += one.originalBytes;
      row.storedBytes += one.storedBytes;
    }
    row.state = snapshotState(store, row.newest);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace strata
