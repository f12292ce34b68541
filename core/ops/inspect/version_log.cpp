#include "core/ops/inspect/version_log.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/ops/runs/run_versions.h"

namespace strata {
namespace {

/// Brings the rows of a run into its order, and adds what trainers said.
Result<void> orderAsRun(const Store& store, const std::string& name, std::vector<LogRow>& rows) {
  std::vector<VersionEntry> versions;
  for (const LogRow& row : rows) versions.push_back(row.version);
  if (!looksLikeRun(versions)) return {};
  STRATA_TRY(const auto ordered, runVersions(store, name));
  std::map<std::uint32_t, std::size_t> places;  // by number
  for (std::size_t i = 0; i < ordered.size(); ++i) places[ordered[i].version.number] = i;
  for (LogRow& row : rows) {
    const auto place = places.find(row.version.number);
    if (place == places.end()) continue;
    if (ordered[place->second].isSnapshot) row.state = ordered[place->second].state;
  }
  std::ranges::stable_sort(rows, {}, [&](const LogRow& row) { return places[row.version.number]; });
  return {};
}

}  // namespace

Result<LogReport> versionLog(const Store& store, const LogOptions& options) {
  std::optional<VersionEntry> newest;
  // A name that is not there is an error, not an empty history.
  if (!options.name.empty()) {
    STRATA_TRY(newest, store.resolve(options.name));
  }
  ListOptions list;
  list.allVersions = true;
  list.sort = ListOptions::Sort::Date;
  STRATA_TRY(ListReport listed, listVersions(store, list));
  LogReport report;
  for (ListRow& row : listed.rows) {
    const bool isOther =
        newest && (row.version.name != newest->name || row.version.number > newest->number);
    if (!isOther) report.rows.push_back({std::move(row)});
  }
  if (newest) STRATA_TRY(orderAsRun(store, newest->name, report.rows));
  std::erase_if(report.rows, [&](const LogRow& row) {
    return options.sinceSeconds && row.version.addedAt < *options.sinceSeconds;
  });
  if (options.limit != 0 && report.rows.size() > options.limit) report.rows.resize(options.limit);
  return report;
}

}  // namespace strata
