#pragma once

#include <cstdint>
#include <span>

#include "core/codec/predict/predictor.h"

namespace strata {

/// values[i] += the low-rank term of word `first + i` of the part: the sum of integers, exact, then
/// one rounded addition. Nothing for rank 0.
void addFactors(const LowRankFactors& factors, const PartShape& shape, std::uint64_t first,
                std::span<float> values);

/// Sum of squares, in eight partial sums.
double energyOf(std::span<const float> values);

/// The scale that makes the projection of a reconstruction r on what it stands for, d, that of d
/// itself: (<d,d> / <r,d>)^power. Coarse quantizers shrink d, and that costs a model more than
/// noise does. 1 where nothing was reconstructed; at most 1000.
double unbiasedGain(double energy, double projection, double power) noexcept;

}  // namespace strata
