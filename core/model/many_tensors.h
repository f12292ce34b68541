#pragma once

#include <cstddef>

namespace strata {

/// From so many tensors on, what each of them holds in one stage of the work counts as memory: the
/// stage forgets what it can make anew, and gives freed memory back before the next one begins.
inline constexpr std::size_t kManyTensors = 10'000;

}  // namespace strata
