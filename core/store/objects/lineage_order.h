#pragma once

#include <vector>

#include "core/store/version_entry.h"

namespace strata {

/// Sorts versions by who of them is a difference to whom. What a manifest says of its depth does
/// not tell: a parent may have come to rest on another manifest since. Equal ones keep their order.
void sortDifferencesFirst(std::vector<VersionEntry>& versions);

}  // namespace strata
