#include "core/ops/inspect/version_log.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "core/ops/detail/awaited_amounts.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/runs/run_versions.h"
#include "core/store/run_tags.h"

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

/// The versions of a name up to one of them, each with its place from the oldest on.
Result<std::map<std::uint32_t, std::size_t>> placesUpTo(const Store& store,
                                                        const VersionEntry& last) {
  STRATA_TRY(std::vector<VersionEntry> versions, store.catalog().versionsOf(last.name));
  sortByAge(versions);
  std::map<std::uint32_t, std::size_t> places;
  for (const VersionEntry& version : versions) {
    places.emplace(version.number, places.size());
    if (version.number == last.number) break;
  }
  return places;
}

}  // namespace

Result<LogReport> versionLog(const Store& store, const LogOptions& options) {
  std::optional<VersionEntry> last;
  std::map<std::uint32_t, std::size_t> places;
  // A name that is not there is an error, not an empty history.
  if (!options.name.empty()) {
    STRATA_TRY(last, store.resolve(options.name));
    STRATA_TRY(places, placesUpTo(store, *last));
  }
  ListOptions list;
  list.allVersions = true;
  list.sort = ListOptions::Sort::Date;
  STRATA_TRY(ListReport listed, listVersions(store, list));
  LogReport report;
  for (ListRow& row : listed.rows) {
    const bool isOther =
        last && (row.version.name != last->name || !places.contains(row.version.number));
    if (!isOther) report.rows.push_back({std::move(row)});
  }
  if (last) {
    std::ranges::sort(report.rows, std::greater(),
                      [&](const LogRow& row) { return places[row.version.number]; });
    STRATA_TRY(orderAsRun(store, last->name, report.rows));
  }
  std::erase_if(report.rows, [&](const LogRow& row) {
    return options.sinceSeconds && row.version.addedAt < *options.sinceSeconds;
  });
  if (options.limit != 0 && report.rows.size() > options.limit) report.rows.resize(options.limit);
  return report;
}

Result<ListRow> listedVersion(const Store& store, const VersionEntry& version) {
  STRATA_TRY(const Lineage lineage, Lineage::of(store.catalog(), version));
  STRATA_TRY(const AwaitedAmounts amounts, AwaitedAmounts::load(store.catalog(), lineage));
  STRATA_TRY(const std::vector<std::uint32_t> ofName, store.catalog().numbersOf(version.name));
  ListRow row{version, lineage.parentLabel(version), lineage.baseLabel(version),
              static_cast<std::uint32_t>(ofName.size()), amounts.of(version)};
  row.version.depth = lineage.depthOf(version);
  return row;
}

}  // namespace strata
