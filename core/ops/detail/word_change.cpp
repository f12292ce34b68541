#include "core/ops/detail/word_change.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

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

template <typename Word>
Word load(std::span<const std::byte> bytes, std::size_t index) noexcept {
  Word word;
  std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

template <typename Word, typename Value>
WordChange compare(std::span<const std::byte> a, std::span<const std::byte> b,
                   Value valueOf) noexcept {
  WordChange change;
  change.wordCount = a.size() / sizeof(Word);
  for (std::size_t i = 0; i < change.wordCount; ++i) {
    const Word wordA = load<Word>(a, i);
    const Word wordB = load<Word>(b, i);
    const double valueA = valueOf(wordA);
    if (std::isfinite(valueA)) change.squaredA += valueA * valueA;
    if (std::memcmp(&wordA, &wordB, sizeof(Word)) == 0) continue;
    ++change.changedWords;
    const double difference = static_cast<double>(valueOf(wordB)) - valueA;
    if (!std::isfinite(difference)) continue;
    change.squaredChange += difference * difference;
    change.maxAbsChange = std::max(change.maxAbsChange, std::abs(difference));
  }
  return change;
}

template <typename Word>
WordChange compareNumbers(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return compare<Word>(a, b, [](Word word) { return static_cast<double>(word); });
}

}  // namespace

float valueOfBf16(std::uint16_t word) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

float valueOfF16(std::uint16_t word) noexcept {
  const bool isSpecial = (word & 0x7C00) == 0x7C00;
  if (!isSpecial) return smallFloat(word, 5, 10, 15);
  const float infinity = std::numeric_limits<float>::infinity();
  return (word & 0x3FF) != 0 ? kNan : (word & 0x8000) != 0 ? -infinity : infinity;
}

WordChange& WordChange::operator+=(const WordChange& more) noexcept {
  wordCount += more.wordCount;
  changedWords += more.changedWords;
  squaredChange += more.squaredChange;
  squaredA += more.squaredA;
  maxAbsChange = std::max(maxAbsChange, more.maxAbsChange);
  return *this;
}

double WordChange::relativeChange() const noexcept {
  if (squaredChange == 0) return 0;
  if (squaredA == 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(squaredChange / squaredA);
}

WordChange compareWords(ElementType type, std::span<const std::byte> a,
                        std::span<const std::byte> b) noexcept {
  switch (type) {
    case ElementType::F32:
    case ElementType::C64:
      return compareNumbers<float>(a, b);
    case ElementType::F64:
    case ElementType::C128:
      return compareNumbers<double>(a, b);
    case ElementType::F16:
      return compare<std::uint16_t>(a, b, valueOfF16);
    case ElementType::BF16:
      return compare<std::uint16_t>(a, b, valueOfBf16);
    case ElementType::I8:
      return compareNumbers<std::int8_t>(a, b);
    case ElementType::U8:
    case ElementType::Bool:
      return compareNumbers<std::uint8_t>(a, b);
    case ElementType::I16:
      return compareNumbers<std::int16_t>(a, b);
    case ElementType::U16:
      return compareNumbers<std::uint16_t>(a, b);
    case ElementType::I32:
      return compareNumbers<std::int32_t>(a, b);
    case ElementType::U32:
      return compareNumbers<std::uint32_t>(a, b);
    case ElementType::I64:
      return compareNumbers<std::int64_t>(a, b);
    case ElementType::U64:
      return compareNumbers<std::uint64_t>(a, b);
    case ElementType::F8E4M3FN:
    case ElementType::F8E4M3FNUZ:
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ:
    case ElementType::F8E4M3:
      return compare<std::uint8_t>(a, b,
                                   [type](std::uint8_t word) { return valueOfF8(type, word); });
    default:
      return compare<std::uint8_t>(a, b, [](std::uint8_t) { return 0.0; });
  }
}

}  // namespace strata
