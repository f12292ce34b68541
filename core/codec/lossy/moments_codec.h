#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// `moments`: what an optimizer keeps of a weight's gradients. Each word is coded by its size
/// beside that of its row and column.
///
/// - Second moments (`areSquares`) get levels that are equal steps of their logarithm: 2^(4 - bits)
///   octaves apart, each of which stands for the mean of what fell into it. With 0 bits rows and
///   columns alone say what they are. They never come back negative; 0 comes back as 0, and
///   nothing else does.
/// - First moments are divided by the root of what rows and columns say of their second moments,
///   which are about as large as they get. They get levels up to 4 of those, fine ones up to 24;
///   with 1 bit their sign alone, with 0 bits they are dropped. They come back as 0 wherever their
///   second moment is 0: a trainer divides by that. Without second moments their own squares stand
///   in.
///
/// Reads bits, areSquares, secondMoments. Needs no parent. Fails with InvalidArgument also
/// for second moments below 0.
Result<LossyPart> encodeMoments(const EncodeInput& input, const LossySettings& settings);

/// See openPart().
Result<std::unique_ptr<PartDecoder>> openMoments(const PartShape& shape,
                                                 std::span<const std::byte> payload);

}  // namespace strata
