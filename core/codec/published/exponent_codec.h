#pragma once

#include <cstdint>
#include <vector>

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// What `exponent` makes of a part: bucket 0 stands for a difference of zero, the others for those
/// of one exponent and sign.
struct ExponentBuckets {
  std::vector<float> values;          ///< by bucket; values[0] is 0
  std::vector<std::uint8_t> buckets;  ///< of each word
  std::vector<std::uint32_t> counts;  ///< words by bucket
};

/// Buckets of LC-Checkpoint (arXiv 2009.13003): differences to the decoded parent by exponent and
/// sign, each bucket standing for the mean of its largest and smallest entry; the 2^bits - 1
/// buckets of largest magnitude are kept, the rest becomes zero ("priority promotion"). Of two
/// signs of one exponent the one with more entries goes first. Zeros are no bucket of their own;
/// subnormal differences count to the lowest exponent.
///
/// Fails with InvalidArgument as encodeLossy does, or if `bits` is not 1 to 8.
Result<ExponentBuckets> findExponentBuckets(const EncodeInput& input, unsigned bits);

/// Reads `settings.bits`.
Result<LossyPart> encodeExponent(const EncodeInput& input, const LossySettings& settings);
/// See openPart().
Result<std::unique_ptr<PartDecoder>> openExponent(const PartShape& shape,
                                                  std::span<const std::byte> payload);

/// The same buckets by the prefix codes that the paper has in place of the rANS coder: codec
/// `huffman`, for who wants to compare.
Result<LossyPart> encodeExponentHuffman(const EncodeInput& input, const LossySettings& settings);
Result<std::unique_ptr<PartDecoder>> openExponentHuffman(const PartShape& shape,
                                                         std::span<const std::byte> payload);

}  // namespace strata
