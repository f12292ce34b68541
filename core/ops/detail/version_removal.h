#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ops/versions/remove_versions.h"
#include "core/store/store_writer.h"

namespace strata {

/// The versions of `all` whose name or label matches a pattern. Fails with NotFound if none does.
Result<std::vector<VersionEntry>> matchingVersions(const std::vector<VersionEntry>& all,
                                                   const std::string& pattern);

/// What removing versions comes to; changes nothing.
/// Fails with what the catalog fails with.
Result<RemoveReport> foretellRemoval(const Store& store, const Catalog& catalog,
                                     std::vector<VersionEntry> versions, bool now);

/// Moves `report.versions` to the trash as an operation of this kind, "remove" or "prune", and with
/// `now` deletes them for good. Fills in what was freed. Fails as removeVersions.
Result<void> carryOutRemoval(StoreWriter& writer, std::string_view kind, bool now,
                             RemoveReport& report);

}  // namespace strata
