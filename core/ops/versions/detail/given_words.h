#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/versions/add_version.h"
#include "core/store/catalog/catalog.h"
#include "core/store/store_writer.h"

namespace strata {

/// The tags of `options` that versions of the name have, and are to lose: others than `number`.
Result<std::vector<MovedTag>> movedTags(const Catalog& catalog, const AddOptions& options,
                                        std::uint32_t number);

/// Gives `report.version`, which is here already, note and tags of `options`, and source and
/// license where it has none. The report says what became of it. `writer`: null in a dry run, which
/// changes nothing. Fails as reading and writing its ref do.
Result<void> giveWords(const Store& store, StoreWriter* writer, const Catalog& catalog,
                       const AddOptions& options, AddReport& report);

}  // namespace strata
