#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// The sign of each difference to the decoded parent, and the mean of their magnitudes as the one
/// step for all (BitDelta, arXiv 2402.10193, without its training of scales): a difference of zero
/// moves up. Signs are nearly random: eight fill a byte, and the bytes are entropy coded only where
/// that is smaller.
///
/// Reads `settings.rowScales`: a step for each row, rounded to bf16, instead of one of f32. Fails
/// with InvalidArgument as encodeLossy does.
Result<LossyPart> encodeSign(const EncodeInput& input, const LossySettings& settings);
/// See openPart().
Result<std::unique_ptr<PartDecoder>> openSign(const PartShape& shape,
                                              std::span<const std::byte> payload);

}  // namespace strata
