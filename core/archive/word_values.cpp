#include "core/archive/word_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

/// A float of `exponentBits` and `mantissaBits` below a sign; `bias` of its exponent. Codes for
/// NaN and infinity are the caller's business.
float smallFloat(std::uint32_t word, int exponentBits, int mantissaBits, int bias) noexcept {
  const std::uint32_t mantissa = word & ((1u << mantissaBits) - 1);
  const int exponent = static_cast<int>(word >> mantissaBits & ((1u << exponentBits) - 1));
  const bool isNegative = (word >> (exponentBits + mantissaBits) & 1) != 0;
  const auto fraction = static_cast<float>(mantissa | (exponent != 0 ? 1u << mantissaBits : 0));
  const float value = std::ldexp(fraction, std::max(exponent, 1) - bias - mantissaBits);
  return isNegative ? -value : value;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float valueOfF8(ElementType type, std::uint8_t word) noexcept {
  switch (type) {
    case ElementType::F8E4M3FN:
      return (word & 0x7F) == 0x7F ? kNan : smallFloat(word, 4, 3, 7);
    case ElementType::F8E4M3:
      return (word & 0x78) == 0x78 ? kNan : smallFloat(word, 4, 3, 7);
    case ElementType::F8E4M3FNUZ:
      return word == 0x80 ? kNan : smallFloat(word, 4, 3, 8);
    case ElementType::F8E5M2:
      return (word & 0x7C) == 0x7C ? kNan : smallFloat(word, 5, 2, 15);
    default:  // F8E5M2FNUZ
      return word == 0x80 ? kNan : smallFloat(word, 5, 2, 16);
  }
}

float valueOfF16(std::uint16_t word) noexcept {
  const bool isSpecial = (word & 0x7C00) == 0x7C00;
  if (!isSpecial) return smallFloat(word, 5, 10, 15);
  const float infinity = std::numeric_limits<float>::infinity();
  return (word & 0x3FF) != 0 ? kNan : (word & 0x8000) != 0 ? -infinity : infinity;
}

template <typename Word, typename Value>
void convert(std::span<const std::byte> words, std::span<double> out, Value valueOf) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Word word;
    std::memcpy(&word, words.data() + i * sizeof word, sizeof word);
    out[i] = static_cast<double>(valueOf(word));
  }
}

template <typename Word>
void convertNumbers(std::span<const std::byte> words, std::span<double> out) noexcept {
  convert<Word>(words, out, [](Word word) { return word; });
}

}  // namespace

bool hasValues(ElementType type) noexcept {
  switch (type) {
    case ElementType::Bytes:
    case ElementType::F8E8M0:
      return false;
    default:
      return bitsPerElement(type) >= 8;
  }
}

bool hasDistance(ElementType type) noexcept { return hasValues(type) && wordFormat(type).isFloat; }

bool isWeight(ElementType type, TensorKind kind) noexcept {
  return hasDistance(type) && !isOptimizerState(kind);
}

void valuesOf(ElementType type, std::span<const std::byte> words, std::span<double> out) noexcept {
  switch (type) {
    case ElementType::F32:
    case ElementType::C64:
      return convertNumbers<float>(words, out);
    case ElementType::F64:
    case ElementType::C128:
      return convertNumbers<double>(words, out);
    case ElementType::F16:
      return convert<std::uint16_t>(words, out, valueOfF16);
    case ElementType::BF16:
      return convert<std::uint16_t>(words, out, floatOfBfloat);
    case ElementType::I8:
      return convertNumbers<std::int8_t>(words, out);
    case ElementType::U8:
    case ElementType::Bool:
      return convertNumbers<std::uint8_t>(words, out);
    case ElementType::I16:
      return convertNumbers<std::int16_t>(words, out);
    case ElementType::U16:
      return convertNumbers<std::uint16_t>(words, out);
    case ElementType::I32:
      return convertNumbers<std::int32_t>(words, out);
    case ElementType::U32:
      return convertNumbers<std::uint32_t>(words, out);
    case ElementType::I64:
      return convertNumbers<std::int64_t>(words, out);
    case ElementType::U64:
      return convertNumbers<std::uint64_t>(words, out);
    case ElementType::F8E4M3FN:
    case ElementType::F8E4M3FNUZ:
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ:
    case ElementType::F8E4M3:
      return convert<std::uint8_t>(words, out,
                                   [type](std::uint8_t word) { return valueOfF8(type, word); });
    default:
      std::ranges::fill(out, 0.0);
  }
}

}  // namespace strata
