#include "core/ops/runs/list_runs.h"

#include <map>
#include <utility>

namespace strata {

Result<std::vector<RunRow>> listRuns(const Store& store) {
  STRATA_TRY(auto versions, store.catalog().versions());
  std::map<std::string, std::vector<VersionEntry>> byName;
  for (VersionEntry& version : versions) {
    std::vector<VersionEntry>& of = byName[version.name];
    of.push_back(std::move(version));
  }
  std::vector<RunRow> rows;
  for (const auto& [name, of] : byName) {
    if (!looksLikeRun(of)) continue;
    STRATA_TRY(const auto snapshots, runSnapshots(store, name));
    if (snapshots.empty()) continue;  // removed meanwhile
    RunRow row{.run = name, .newest = newestToResume(snapshots)};
    row.beside = besideChosen(snapshots, row.newest.version);
    for (const RunVersion& one : snapshots) {
      ++row.snapshotCount;
      row.originalBytes += one.version.originalBytes;
      row.storedBytes += one.version.storedBytes;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace strata
