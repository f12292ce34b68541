#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/store/catalog/true_catalog.h"
#include "core/store/store_writer.h"

namespace strata {

/// Where lines of parents run in a circle, as after older refs were put back, versions of it take
/// whole manifests of their own contents that no ref names any more and by which the lines end at a
/// base. Deletes nothing. Returns the labels of the versions. Fails with Cancelled, NoSpace, Io.
Result<std::vector<std::string>> endCircles(StoreWriter& writer, const TrueCatalog& truth,
                                            const std::stop_token& stop);

}  // namespace strata
