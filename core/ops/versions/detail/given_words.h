#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/versions/add_version.h"
#include "core/ops/versions/detail/stored_content.h"
#include "core/store/catalog/catalog.h"
#include "core/store/store_writer.h"

namespace strata {

/// Takes down versions of a content whose objects are here from now on: damaged ones as repaired,
/// those that were pulled without their packs as completed.
void noteMended(const StoredContent& known, const std::vector<VersionRef>& refs, AddReport& report);

/// The label of one that was; there has to be one.
inline const std::string& firstMended(const AddReport& report) {
  return report.repaired.empty() ? report.completed.front() : report.repaired.front();
}

/// What became of a version that stands for the model already.
AddReport::Outcome standingOutcome(const AddReport& report) noexcept;

/// The tags of `options` that versions of the name have, and are to lose: others than `number`.
Result<std::vector<MovedTag>> movedTags(const Catalog& catalog, const AddOptions& options,
                                        std::uint32_t number);

/// Gives `report.version`, which is here already, note and tags of `options`, and source and
/// license where it has none. The report says what became of it. `writer`: null in a dry run, which
/// changes nothing. Fails as reading and writing its ref do.
Result<void> giveWords(const Store& store, StoreWriter* writer, const Catalog& catalog,
                       const AddOptions& options, AddReport& report);

}  // namespace strata
