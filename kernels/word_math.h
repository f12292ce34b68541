#pragma once

// Arithmetic of single words, compiled once per instruction set and for the GPU: each including
// file sets STRATA_LOOPS to a namespace of its own, so that no code for a newer CPU leaks into the
// others.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/shared_code.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

template <typename Word>
constexpr unsigned kTopBit = sizeof(Word) * 8 - 1;

/// Order-preserving integer of a float's bits, as a two's complement word.
template <typename Word>
STRATA_SHARED inline Word ordered(Word word) noexcept {
  using Signed = std::make_signed_t<Word>;
  const Word sign = static_cast<Word>(static_cast<Signed>(word) >> kTopBit<Word>);
  return static_cast<Word>(word ^ (sign >> 1));
}

/// All ones where the word is negative.
template <typename Word>
STRATA_SHARED inline Word signMask(Word word) noexcept {
  return static_cast<Word>(static_cast<std::make_signed_t<Word>>(word) >> kTopBit<Word>);
}

template <typename Word>
STRATA_SHARED inline Word difference(Word parent, Word word, bool isFloat) noexcept {
  if (!isFloat) return static_cast<Word>(word - parent);
  const Word sign = signMask(parent);
  const Word d = static_cast<Word>(ordered(word) - ordered(parent));
  return static_cast<Word>((d ^ sign) - sign);
}

template <typename Word>
STRATA_SHARED inline Word moved(Word parent, Word delta, bool isFloat) noexcept {
  if (!isFloat) return static_cast<Word>(parent + delta);
  const Word sign = signMask(parent);
  return ordered(static_cast<Word>(ordered(parent) + static_cast<Word>((delta ^ sign) - sign)));
}

template <typename Word>
STRATA_SHARED inline std::int32_t exponentOf(Word word, unsigned mantissaBits) noexcept {
  const auto magnitude = static_cast<std::uint32_t>(static_cast<Word>(word << 1)) >> 1;
  return std::max(1, static_cast<std::int32_t>(magnitude >> mantissaBits));
}

STRATA_SHARED inline std::uint32_t bitsOfHalf(std::uint16_t h) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
  const std::uint32_t magnitude = h & 0x7fff;
  const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
  const std::uint32_t normal = (magnitude << 13) + (112U << 23);
  const std::uint32_t special = 0x7f800000 | (magnitude & 0x3ff) << 13;
  const std::uint32_t finite = magnitude < 0x400 ? std::bit_cast<std::uint32_t>(small) : normal;
  return sign | (magnitude >= 0x7c00 ? special : finite);
}

STRATA_SHARED inline float floatOfHalf(std::uint16_t h) noexcept {
  return std::bit_cast<float>(bitsOfHalf(h));
}

/// Rounds to nearest even; a NaN keeps the top of its payload.
STRATA_SHARED inline std::uint16_t halfOfFloat(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  // Adding 0.5 puts the half's last place at the float's: the addition rounds to nearest even.
  const bool isSmall = magnitude < 0x38800000;
  const float shifted = std::bit_cast<float>(isSmall ? magnitude : 0U) + 0.5F;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000;
  const std::uint32_t normal = (magnitude - (112U << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
  const std::uint32_t finite = isSmall ? small : normal;
  const std::uint32_t number = magnitude >= 0x477ff000 ? 0x7c00U : finite;
  return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000 ? nan : number));
}

STRATA_SHARED inline float floatOfBfloat(std::uint16_t word) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

/// Rounds to nearest even; a NaN keeps the top of its payload and stays one.
STRATA_SHARED inline std::uint16_t bfloatOfFloat(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t nan = bits >> 16 | 0x40;
  const std::uint32_t number = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : number);
}

STRATA_SHARED inline bool isNumber32(std::uint32_t word) noexcept {
  return (word & 0x7fffffff) < 0x7f800000;
}
STRATA_SHARED inline bool isBfloatNumber(std::uint16_t word) noexcept {
  return (word & 0x7fff) < 0x7f80;
}
STRATA_SHARED inline bool isHalfNumber(std::uint16_t word) noexcept {
  return (word & 0x7fff) < 0x7c00;
}

/// The words of an f32 part after `map(value)`; what is infinite or NaN keeps its own bits: CPUs
/// and GPUs differ in what they make of a NaN's payload. Without a branch, so that compilers make
/// vectors of loops over it.
template <typename Map>
STRATA_SHARED inline std::uint32_t mapped32(std::uint32_t word, Map&& map) noexcept {
  const bool isNumber = isNumber32(word);
  const float value = map(std::bit_cast<float>(isNumber ? word : 0U));
  return isNumber ? std::bit_cast<std::uint32_t>(value) : word;
}
/// The same for bf16, rounded to nearest even.
template <typename Map>
STRATA_SHARED inline std::uint16_t mappedBfloat(std::uint16_t word, Map&& map) noexcept {
  const bool isNumber = isBfloatNumber(word);
  const std::uint16_t mapped = bfloatOfFloat(map(floatOfBfloat(isNumber ? word : 0)));
  return isNumber ? mapped : word;
}
/// The same for f16.
template <typename Map>
STRATA_SHARED inline std::uint16_t mappedHalf(std::uint16_t word, Map&& map) noexcept {
  const bool isNumber = isHalfNumber(word);
  const std::uint16_t mapped = halfOfFloat(map(floatOfHalf(isNumber ? word : 0)));
  return isNumber ? mapped : word;
}

/// What a level of the codec `levels` stands for; `values` are those of levels -most … most.
STRATA_SHARED inline float valueOfLevel(std::int32_t level, const float* values, std::int32_t most,
                                        bool isUniform, float step) noexcept {
  const std::int32_t inside = level > most ? most : level < -most ? -most : level;
  const float value = values[inside + most];
  if (inside == level) return value;
  const auto bits = static_cast<std::uint32_t>(level);
  const auto beyond = (level < 0 ? 0U - bits : bits) - static_cast<std::uint32_t>(most) - 1;
  const std::uint32_t word = (beyond & 0x7fff) << 16 | (level < 0 ? 0x80000000U : 0U);
  return isUniform ? static_cast<float>(level) * step : std::bit_cast<float>(word);
}

/// Low-rank sums, exact, on their power of two.
STRATA_SHARED inline float scaledSum(std::int32_t sum, float scale) noexcept {
  return static_cast<float>(sum) * scale;
}
STRATA_SHARED inline float withWideSum(float value, std::int64_t sum, double scale) noexcept {
  return static_cast<float>(static_cast<double>(value) + static_cast<double>(sum) * scale);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
