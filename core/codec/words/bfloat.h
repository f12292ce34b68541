#pragma once

#include <bit>
#include <cstdint>

namespace strata {

/// The value of a bf16 word: the upper half of an f32.
inline float floatOfBfloat(std::uint16_t word) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

/// The bf16 word of a value, rounded to nearest even, as castWords() makes it: one beyond bf16 is
/// infinite, and a NaN stays one.
inline std::uint16_t bfloatOfFloat(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>(isNan ? bits >> 16 | 0x40 : rounded);
}

/// The value as it comes back from a bf16 word.
inline float roundToBfloat(float value) noexcept { return floatOfBfloat(bfloatOfFloat(value)); }

}  // namespace strata
