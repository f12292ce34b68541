#include "core/ops/inspect/version_log.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/store/run_tags.h"

namespace strata {
namespace {

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
  std::erase_if(listed.rows, [&](const ListRow& row) {
    const bool isOther =
        last && (row.version.name != last->name || !places.contains(row.version.number));
    return isOther || (options.sinceSeconds && row.version.addedAt < *options.sinceSeconds);
  });
  if (last) {
    std::sort(listed.rows.begin(), listed.rows.end(), [&](const ListRow& a, const ListRow& b) {
      return places[a.version.number] > places[b.version.number];
    });
  }
  if (options.limit != 0 && listed.rows.size() > options.limit) listed.rows.resize(options.limit);
  return LogReport{std::move(listed.rows)};
}

}  // namespace strata
