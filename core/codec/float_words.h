#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/codec/codec.h"

namespace strata {

/// The values of f32, f16 or bf16 words. `out` has as many numbers as there are words.
void toFloats(const WordFormat& word, std::span<const std::byte> words,
              std::span<float> out) noexcept;

/// Rounds to the words' type, to nearest even. `out` is as large as the words.
void fromFloats(const WordFormat& word, std::span<const float> values,
                std::span<std::byte> out) noexcept;

/// The values of all words; zeros in place of words that are not there.
std::vector<float> floatsOf(const PartShape& shape, std::span<const std::byte> words);

/// words - parent, or the words where there is no parent. Fails with InvalidArgument if the words
/// are of another kind or one of either side is infinite or NaN.
Result<std::vector<float>> differenceValues(const EncodeInput& input);

}  // namespace strata
