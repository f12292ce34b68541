#pragma once

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

/// `rows`: Check-N-Run's quantizer of embedding vectors (A. Eisenman et al., NSDI 2022). Each row
/// has even steps between bounds of its own; what is quantized are the words, not how they differ.
/// A row that is the parent's, or would be quantized to the parent's words, is kept as the parent
/// has it and takes next to nothing: rows that no batch has touched.
///
/// Up to 4 bits the bounds are searched, as published: from the least and the largest word inwards,
/// a step at a time, on the side where that leaves the smaller squared error. The best bounds met
/// serve. With more bits they are the least and the largest word.
///
/// Reads `settings.bits`, 2 to 8. Fails with InvalidArgument as encodeLossy does.
Result<LossyPart> encodeRows(const EncodeInput& input, const LossySettings& settings);
/// See openPart().
Result<std::unique_ptr<PartDecoder>> openRows(const PartShape& shape,
                                              std::span<const std::byte> payload);

}  // namespace strata
