#include "core/ops/inspect/list_versions.h"

#include <algorithm>
#include <map>

#include "core/ops/detail/awaited_amounts.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/detail/list_filter.h"
#include "core/ops/inspect/disk_usage.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"
#include "core/text/glob.h"
#include "core/text/wording.h"

namespace strata {
namespace {

using Sort = ListOptions::Sort;

/// Names ascend; sizes, dates, ratios and changes descend.
bool isBefore(const ListRow& a, const ListRow& b, Sort sort) {
  switch (sort) {
    case Sort::Name:
      break;
    case Sort::Size:
      if (a.version.storedBytes != b.version.storedBytes) {
        return a.version.storedBytes > b.version.storedBytes;
      }
      break;
    case Sort::Date:
      if (a.version.addedAt != b.version.addedAt) return a.version.addedAt > b.version.addedAt;
      break;
    case Sort::Ratio:
      if (a.version.ratio() != b.version.ratio()) return a.version.ratio() > b.version.ratio();
      break;
    case Sort::Change:
      if (a.version.relativeChange != b.version.relativeChange) {
        return a.version.relativeChange > b.version.relativeChange;
      }
      break;
  }
  if (a.version.name != b.version.name) return a.version.name < b.version.name;
  return a.version.number > b.version.number;
}

Result<StoreTotals> totalsOf(const Catalog& catalog, const std::vector<VersionEntry>& versions,
                             const AwaitedAmounts& amounts) {
  STRATA_TRY(const CatalogTotals totals, catalog.totals());
  const auto awaited = std::count_if(versions.begin(), versions.end(), [&](const auto& version) {
    return !amounts.of(version).isHere();
  });
  return StoreTotals{totals.versionCount,
                     totals.baseCount,
                     totals.originalBytes,
                     totals.objectBytes,
                     static_cast<std::uint64_t>(awaited),
                     totals.awaitedPacks,
                     totals.awaitedBytes};
}

/// Whether the version has the objects of another one and none of its own.
bool isShared(const ListRow& row) { return row.version.storedBytes == 0 && row.awaited.isHere(); }

/// Adds what takes a look at all objects, where it is wanted.
Result<void> addUsage(const Store& store, bool isChosen, ListReport& report) {
  std::map<std::string, ListRow*> rows;
  for (ListRow& row : report.rows) {
    if (isChosen || isShared(row)) rows.emplace(row.version.label(), &row);
  }
  if (rows.empty()) return {};
  STRATA_TRY(const DiskUsage usage, diskUsage(store, [&](const VersionEntry& version) {
               return rows.contains(version.label());
             }));
  for (const VersionUsage& one : usage.versions) {
    ListRow& row = *rows[one.version.label()];
    if (isShared(row)) row.taken = {one.ownBytes, one.sharedBytes};
  }
  if (!isChosen) return {};
  report.listed = {.versionCount = report.rows.size(),
                   .objectBytes = usage.ownBytes + usage.sharedBytes};
  for (const ListRow& row : report.rows) report.listed->originalBytes += row.version.originalBytes;
  return {};
}

/// By its name, or as `remove` takes patterns, its NAME:vN.
bool isMeant(const VersionEntry& version, const std::string& glob) {
  return glob.empty() || matchesGlob(version.name, glob) || matchesGlob(version.label(), glob);
}

}  // namespace

Result<ListReport> listVersions(const Store& store, const ListOptions& options) {
  STRATA_TRY(const ListFilter filter, ListFilter::parse(options.filter));
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
  STRATA_TRY(const AwaitedAmounts amounts, AwaitedAmounts::load(store.catalog(), lineage));
  std::map<std::string, std::uint32_t> counts;
  std::map<std::string, std::uint32_t> newest;
  for (const VersionEntry& version : versions) ++counts[version.name];
  const VersionEntry* at = versions.data();  // sorted by name
  for (const auto& [name, count] : counts) {
    newest[name] = newestOf({at, count}).number;
    at += count;
  }
  ListReport report;
  for (const VersionEntry& version : versions) {
    const bool isSearched = options.allVersions || filter.asksForTag();
    if (!isSearched && version.number != newest[version.name]) continue;
    if (!isMeant(version, options.glob)) continue;
    ListRow row{version, lineage.parentLabel(version), lineage.baseLabel(version),
                counts[version.name], amounts.of(version)};
    row.version.depth = lineage.depthOf(version);
    if (filter.accepts(row)) report.rows.push_back(std::move(row));
  }
  std::sort(report.rows.begin(), report.rows.end(),
            [&](const ListRow& a, const ListRow& b) { return isBefore(a, b, options.sort); });
  STRATA_TRY(report.totals, totalsOf(store.catalog(), versions, amounts));
  STRATA_TRY(addUsage(store, !options.glob.empty() || !options.filter.empty(), report));
  return report;
}

Result<std::optional<TakenBytes>> takenBytes(const Store& store, const VersionEntry& version) {
  if (version.storedBytes != 0) return std::nullopt;
  STRATA_TRY(const DiskUsage usage, diskUsage(store, [&](const VersionEntry& other) {
               return other.label() == version.label();
             }));
  if (usage.versions.empty()) return std::nullopt;
  return TakenBytes{usage.ownBytes, usage.sharedBytes};
}

Result<StoreTotals> storeTotals(const Store& store) {
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
  STRATA_TRY(const AwaitedAmounts amounts, AwaitedAmounts::load(store.catalog(), lineage));
  return totalsOf(store.catalog(), versions, amounts);
}

std::string wordChangeOf(const VersionEntry& version) {
  if (!version.hasChange()) return "-";
  const bool hasNoSize = version.relativeChange == 0 && version.changedTensors > 0;
  return hasNoSize ? "no size" : wordError(version.relativeChange);
}

std::int64_t checkedLatelySince(const Config& config) {
  return currentTime() - static_cast<std::int64_t>(config.number("verify.days")) * kSecondsOfDay;
}

Result<std::uint64_t> countUnchecked(const Store& store, std::int64_t since) {
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  const auto count = std::count_if(versions.begin(), versions.end(),
                                   [&](const auto& version) { return version.soundAt() < since; });
  return static_cast<std::uint64_t>(count);
}

}  // namespace strata
