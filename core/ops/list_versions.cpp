#include "core/ops/list_versions.h"

#include <algorithm>
#include <map>

#include "core/ops/detail/lineage.h"
#include "core/ops/detail/list_filter.h"
#include "core/text/glob.h"

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

}  // namespace

Result<ListReport> listVersions(const Store& store, const ListOptions& options) {
  STRATA_TRY(const ListFilter filter, ListFilter::parse(options.filter));
  STRATA_TRY(const std::vector<VersionEntry> versions, store.catalog().versions());
  STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
  std::map<std::string, std::uint32_t> counts;
  std::map<std::string, std::uint32_t> newest;
  for (const VersionEntry& version : versions) {
    ++counts[version.name];
    newest[version.name] = version.number;  // numbers ascend
  }
  ListReport report;
  for (const VersionEntry& version : versions) {
    if (!options.allVersions && version.number != newest[version.name]) continue;
    if (!options.glob.empty() && !matchesGlob(version.name, options.glob)) continue;
    ListRow row{version, lineage.parentLabel(version), lineage.baseLabel(version),
                counts[version.name]};
    if (filter.accepts(row)) report.rows.push_back(std::move(row));
  }
  std::sort(report.rows.begin(), report.rows.end(),
            [&](const ListRow& a, const ListRow& b) { return isBefore(a, b, options.sort); });
  STRATA_TRY(report.totals, storeTotals(store));
  return report;
}

Result<StoreTotals> storeTotals(const Store& store) {
  STRATA_TRY(const CatalogTotals totals, store.catalog().totals());
  return StoreTotals{totals.versionCount, totals.baseCount, totals.originalBytes,
                     totals.objectBytes};
}

}  // namespace strata
