#pragma once

#include <cstdint>

namespace strata {

/// Most parents of a version, theirs counted too: longer lineages are not read (docs/FORMAT.md).
inline constexpr std::uint32_t kMostParents = 64;

}  // namespace strata
