#include "core/ops/inspect/version_log.h"

#include <algorithm>
#include <optional>

namespace strata {

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
  std::erase_if(listed.rows, [&](const ListRow& row) {
    const bool isOther =
        newest && (row.version.name != newest->name || row.version.number > newest->number);
    return isOther || (options.sinceSeconds && row.version.addedAt < *options.sinceSeconds);
  });
  if (options.limit != 0 && listed.rows.size() > options.limit) listed.rows.resize(options.limit);
  return LogReport{std::move(listed.rows)};
}

}  // namespace strata
