#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/result.h"

namespace strata {

/// Runs `transfer(i)` for all i < count, begun in their order, at most `parallel` at a time; one
/// result for each. A damaged or missing object does not stop the others; after any other failure
/// those that have not begun get the same error. Waits for all that began.
std::vector<Result<void>> runTransfers(std::size_t count, unsigned parallel,
                                       const std::stop_token& stop,
                                       const std::function<Result<void>(std::size_t)>& transfer);

}  // namespace strata
