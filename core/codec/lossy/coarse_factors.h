#pragma once

#include <optional>
#include <span>

#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/predict/predictor.h"

namespace strata {

/// Low-rank factors with a handful of levels each, as the lossy codecs use them: a component is
/// `multiplier * levels of the rows * levels of the columns`, on one power of two.
///
/// Decoded, they are LowRankFactors: sums of integers, the same on every machine.
struct CoarseFactors {
  std::int32_t scaleLog2 = 0;
  std::vector<std::uint8_t> multipliers;  ///< per component, 1 to 255
  std::vector<std::int8_t> rows;          ///< one run of all rows per component
  std::vector<std::int8_t> columns;       ///< one run of all columns per component

  std::uint32_t rank() const noexcept { return static_cast<std::uint32_t>(multipliers.size()); }
};

/// Fits at most `rank` components to `residual` (rows x columns, row by row) and takes off what
/// they give. A truncated SVD, both sides rounded to steps of `step` times the root mean square of
/// the first component's entries; the columns are fitted to the rounded rows, the multipliers to
/// both (least squares). A component stays only where it takes off more than the same bits would in
/// the rest. Empty where there is nothing to gain. With `weights` all of it, from the decomposition
/// to the multipliers, is for the least weighted squares.
///
/// Reads rank, factorStep, weights and singular of `settings`.
CoarseFactors takeCoarseFactors(const PartShape& shape, std::span<float> residual,
                                const LossySettings& settings);

/// Adds a component that gives all words of a row one number, about that of `offsets`. Does nothing
/// where all of them round to 0, or to no numbers that factors can hold.
void addRowOffsets(const PartShape& shape, std::span<const double> offsets, CoarseFactors& factors);

/// What a decoder adds to the parent.
LowRankFactors widened(const CoarseFactors& factors, const PartShape& shape);

/// docs/FORMAT.md, "Coarse factors".
void writeCoarseFactors(ByteWriter& out, const CoarseFactors& factors);
/// Nothing if the bytes are damaged or the sums could pass 2^24.
std::optional<CoarseFactors> readCoarseFactors(ByteReader& in, const PartShape& shape);

}  // namespace strata
