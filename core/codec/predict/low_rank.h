#pragma once

#include <optional>
#include <span>

#include "core/codec/predict/predictor.h"

namespace strata {

/// out[c] = round(parent[c] + 2^scaleLog2 * sum over k of rows[row][k] * columns[k][c]).
///
/// The sum is of integers, so its order does not matter; it is kept below 2^24 by readLowRank and
/// fitLowRank, so that it is exact as a float. One addition, rounded once, then one rounding to the
/// element type. Words that are no finite numbers stay as they are. `out` may be `parent`.
template <typename Word>
void addLowRank(const LowRankFactors& factors, kernels::FloatKind kind, std::uint64_t row,
                std::uint64_t firstColumn, std::span<const Word> parent, Word* out);

/// Factors of the difference of a part at a given rank: a randomised truncated SVD
/// (Halko, Martinsson, Tropp 2011), quantized. `residual` is rows x columns, row by row.
/// Rank 0 if nothing is to be gained.
LowRankFactors fitLowRank(const PartShape& shape, std::span<const float> residual,
                          std::uint32_t rank);

/// The first `rank` components of `factors`.
LowRankFactors truncated(const LowRankFactors& factors, const PartShape& shape, std::uint32_t rank);

void writeLowRank(ByteWriter& out, const LowRankFactors& factors);
/// Nothing if the bytes are damaged, the rank is above the shape's or the sums could pass 2^24.
std::optional<LowRankFactors> readLowRank(ByteReader& in, const PartShape& shape);

}  // namespace strata
