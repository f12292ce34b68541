#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// `patterns`: low-rank factors, then dense sign patterns for what they leave.
///
/// Runs of n words of the rest are replaced by the one of 2·N·M vectors of ±amplitude that they are
/// most like (N: n rounded up to a power of two): the N Walsh functions under M fixed flips of
/// signs, a shape code in the sense of gain-shape vector quantization. A run costs
/// 1 + log2 N + log2 M bits, however it is distributed: below a quarter of a bit per word that is
/// 10 to 20 % better than a scalar quantizer with an ideal entropy coder, because random
/// projections of any values look normal. One amplitude serves a part, scaled so that the
/// reconstruction's projection on the rest is unbiased.
///
/// Reads patternLength, patternBasesLog2, gain, rank, factorStep. See encodeLossy() for `device`.
Result<LossyPart> encodePatterns(const EncodeInput& input, const LossySettings& settings,
                                 DeviceQuantizer* device = nullptr);

/// Words of a pattern, at least and at most.
inline constexpr unsigned kShortestPattern = 8;
inline constexpr unsigned kLongestPattern = 4096;

/// The length whose error is about that of `length` with every step times `factor`: it grows with
/// the square, within the limits. 0, no patterns, stays 0.
unsigned scaledPatternLength(unsigned length, double factor) noexcept;

/// See openPart().
Result<std::unique_ptr<PartDecoder>> openPatterns(const PartShape& shape,
                                                  std::span<const std::byte> payload,
                                                  bool hasParent);

}  // namespace strata
