#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/search/search.h"

namespace strata {

/// Notes that what a search had chosen for a size took more bytes once it was coded whole.
inline void missBySize(SearchReport& search, std::uint64_t bytes) {
  search.nearest = std::exchange(search.best, std::nullopt);
  Trial& chosen = search.trials[*search.nearest];
  chosen.meetsTarget = false;
  chosen.measured.storedBytes = bytes;
}

}  // namespace strata
