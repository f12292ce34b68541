#pragma once

#include <vector>

#include "core/store/objects/needed_objects.h"
#include "core/store/version_entry.h"

namespace strata {

/// Versions may stand on each other in a circle of parents, as after older refs were put back: none
/// of them can be rebuilt. A coding that no version names may lie in the store still, with a parent
/// outside of the circle.
///
/// Whether any of `versions` are in a circle.
bool hasCircles(const std::vector<VersionEntry>& versions);

/// Returns those of `loose` that end such circles of `versions`, in the order in which they are to
/// be taken: one may make another one's parent whole. `loose`: of any contents.
std::vector<UnnamedManifest> endingCodings(const std::vector<VersionEntry>& versions,
                                           const std::vector<UnnamedManifest>& loose);

}  // namespace strata
