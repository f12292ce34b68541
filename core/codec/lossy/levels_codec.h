#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// `levels`: low-rank factors, then a scalar quantizer for what they leave, entropy coded in
/// contexts of the row's and the column's activity.
///
/// With levelCount 0 the grid is uniform with a dead zone; levels are then chosen for least
/// error + lambda * bits, and stand for the mean of what fell into them. Otherwise the levels are
/// those of Inshrinkerator (arXiv 2306.11800): weighted k-means on a quantile sketch, with the
/// smallest words pruned and the largest kept as bf16. All levels are scaled so that the
/// reconstruction's projection on the rest is unbiased.
///
/// Reads step, deadZone, levelCount, pruneShare, protectShare, gain, rank, factorStep. Without a
/// parent the words themselves are quantized. See encodeLossy() for `device`.
Result<LossyPart> encodeLevels(const EncodeInput& input, const LossySettings& settings,
                               DeviceQuantizer* device = nullptr);

/// See openPart().
Result<std::unique_ptr<PartDecoder>> openLevels(const PartShape& shape,
                                                std::span<const std::byte> payload, bool hasParent);

}  // namespace strata
