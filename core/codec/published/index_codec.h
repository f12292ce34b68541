#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// Inshrinkerator as published (arXiv 2306.11800): the words themselves become level indices, 0 for
/// pruned ones, 1 for protected ones (kept as bf16), then non-uniform levels; what is stored is how
/// the index of each word differs from that of the parent's word.
///
/// Readings of what the paper leaves open:
/// - The parent's indices are *derived* from its decoded words and a codebook in the payload. A
///   parent whose words lie on few levels, as a version that `index` stored does, is taken by these
///   levels. Any other, such as a stored base, gets a codebook of its own (k-means levels, pruning
///   and protection by magnitude, in the same shares), or that of the words where fewer indices
///   change so. Chains of any length thus need no state beside the words, and both codebooks (4
///   bytes a level) count to the payload.
/// - Zeros are always pruned: they stay zeros. Thresholds are those of a sketch, taken at the outer
/// edge
///   of its bucket, so that no more words go than the share says.
/// - Levels are fitted to the words that are neither pruned nor protected, for each part anew, with
/// a
///   fixed seed, and rounded to the words' type.
/// - Groups are made within blocks of 2^20 words, so that blocks decode alone; codes serve all
/// blocks.
///
/// Reads `settings.levelCount` (1 to 254), the shares 0 to 1, bySensitivity, gradients, the
/// absolute thresholds (which replace those of the shares), seed and publishedEntropy. Fails with
/// InvalidArgument as encodeLossy does, if a setting is out of range, if gradients are asked for
/// and missing, of another number or not finite.
/// See encodeLossy() for `device`.
Result<LossyPart> encodeIndex(const EncodeInput& input, const LossySettings& settings,
                              DeviceQuantizer* device = nullptr);
/// See openPart().
Result<std::unique_ptr<PartDecoder>> openIndex(const PartShape& shape,
                                               std::span<const std::byte> payload);

}  // namespace strata
