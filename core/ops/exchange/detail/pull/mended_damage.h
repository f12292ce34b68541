#pragma once

#include <vector>

#include "core/store/store.h"

namespace strata {

/// To be called once objects of these versions came: the last check's word that they are damaged is
/// out of date. So it is for those that stand on them, unless objects of their own are missing or
/// were found damaged. Where that cannot be written, the next check says it.
void forgetMended(const Store& store, const std::vector<VersionEntry>& versions);

}  // namespace strata
