#pragma once

#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/words/word_buffer.h"
#include "core/result.h"
#include "kernels/cpu_kernels.h"

namespace strata {

/// Words that the lossy codecs handle at a time in their decoders. A multiple of the lanes.
inline constexpr std::size_t kLossyChunkWords = 4096;

/// Both sides of a part as values.
struct PartValues {
  kernels::FloatKind kind;
  WordBuffer<float> words;
  WordBuffer<float> parent;
};

/// Fails with InvalidArgument if the words are of no kind among f32, f16 and bf16, the parent is
/// missing, or a word of either side is infinite or NaN.
Result<PartValues> loadValues(const EncodeInput& input);

/// words - parent, each rounded to f32. Fails with InvalidArgument where one is beyond f32.
Result<WordBuffer<float>> differencesOf(const PartValues& values);

/// The same, in `buffer`, for a part that may have no parent: then the words themselves. Fails with
/// InvalidArgument also if the words are of another kind.
Result<std::span<float>> differencesOf(const EncodeInput& input, WordBuffer<float>& buffer);

/// Fails with InvalidArgument if a restored word is infinite: the part cannot be quantized so.
Result<void> requireFinite(const PartShape& shape, std::span<const std::byte> restored);

/// The values of words of `kind`; `out` takes as many as there are.
void widenWords(kernels::FloatKind kind, std::span<const std::byte> words, float* out) noexcept;
/// The values of all words of a part of such a kind; zeros in place of words that are not there.
std::vector<float> valuesOf(const PartShape& shape, std::span<const std::byte> words);

/// The words of values, rounded to `kind`.
void narrowWords(kernels::FloatKind kind, std::span<const float> values,
                 std::span<std::byte> out) noexcept;
/// The values as they come back from words of `kind`.
void roundToKind(kernels::FloatKind kind, std::span<float> values);

/// out = round(parent + values), one rounding to f32 and one to the kind; the same bits on every
/// machine. `parent` and `out` hold words of `kind`, as many as there are values.
void addToParent(kernels::FloatKind kind, std::span<const std::byte> parent,
                 std::span<const float> values, std::span<std::byte> out) noexcept;
/// The same with values `sums * scale`, the product rounded to f32.
void addToParent(kernels::FloatKind kind, std::span<const std::byte> parent,
                 std::span<const std::int32_t> sums, float scale,
                 std::span<std::byte> out) noexcept;

}  // namespace strata
