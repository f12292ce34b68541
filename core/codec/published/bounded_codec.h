#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// How `bounded` makes numbers of a part's differences.
enum class BoundedMethod : std::uint8_t {
  Uniform = 0,  ///< multiples of a step
  Dct = 1,      ///< multiples of a step of cosine coefficients, 64 words at a time
};

/// Every word within `settings.maxError` of the original: differences to the decoded parent as
/// numbers of steps, or cosine coefficients of them after DCTZ, whichever is smaller for the part,
/// or the one wished for. DCTZ bounds coefficients of scaled data; here the bound holds for each
/// word, because the encoder decodes: a word that would break it, by rounding or because the errors
/// of its coefficients add up, is stored as it is.
///
/// Fails with InvalidArgument as encodeLossy does, or if the bound is not above 0 and finite.
Result<LossyPart> encodeBounded(const EncodeInput& input, const LossySettings& settings,
                                std::optional<BoundedMethod> wish = std::nullopt);
/// See openPart().
Result<std::unique_ptr<PartDecoder>> openBounded(const PartShape& shape,
                                                 std::span<const std::byte> payload);

}  // namespace strata
