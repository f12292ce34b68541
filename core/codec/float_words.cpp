#include "core/codec/float_words.h"

#include <fmt/format.h>

#include <cmath>

#include "core/codec/cast.h"
#include "core/codec/lossy_codec.h"

namespace strata {
namespace {

ElementType typeOf(const WordFormat& word) noexcept {
  if (word.bytes == 4) return ElementType::F32;
  return word.mantissaBits == 7 ? ElementType::BF16 : ElementType::F16;
}

}  // namespace

void toFloats(const WordFormat& word, std::span<const std::byte> words,
              std::span<float> out) noexcept {
  castWords(typeOf(word), words, ElementType::F32, std::as_writable_bytes(out));
}

void fromFloats(const WordFormat& word, std::span<const float> values,
                std::span<std::byte> out) noexcept {
  castWords(ElementType::F32, std::as_bytes(values), typeOf(word), out);
}

std::vector<float> floatsOf(const PartShape& shape, std::span<const std::byte> words) {
  std::vector<float> values(shape.wordCount(), 0.0F);
  if (!words.empty()) toFloats(shape.word, words, values);
  return values;
}

Result<std::vector<float>> differenceValues(const EncodeInput& input) {
  if (!isQuantizable(input.shape.word)) {
    return fail(ErrorCode::InvalidArgument, "only f32, f16 and bf16 tensors can be quantized");
  }
  std::vector<float> values = floatsOf(input.shape, input.words);
  if (!input.parent.empty()) {
    const std::vector<float> parent = floatsOf(input.shape, input.parent);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= parent[i];
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("word {} or its parent's is no finite number", i));
  }
  return values;
}

}  // namespace strata
