#pragma once

#include <cstdint>
#include <functional>

#include "core/result.h"

namespace strata {

/// Of sizes, in logarithms: a gap as wide as this that no multiplier is in is one between codecs.
inline constexpr double kSizeJump = 0.1;

/// The finest multiplier (in logarithms, from -`widest` to `widest`) with which `bytesAt` gives no
/// more than `mostBytes`, or nearly so; looks at twelve at most, from `start` on. Where none of
/// them does, the last one that was proposed, which may not have been looked at. Fails as
/// `bytesAt`.
Result<double> fittedScale(double start, double widest, std::uint64_t mostBytes,
                           const std::function<Result<std::uint64_t>(double scale)>& bytesAt);

}  // namespace strata
