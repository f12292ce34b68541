#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/part_words.h"

namespace strata {

/// Bit b is the parity of b & low, for b and low below 64: the short Walsh functions.
constexpr auto makeWalshWords() {
  std::array<std::uint64_t, 64> words{};
  for (unsigned low = 0; low < 64; ++low) {
    for (unsigned b = 0; b < 64; ++b) {
      words[low] |= static_cast<std::uint64_t>(std::popcount(low & b) & 1) << b;
    }
  }
  return words;
}
inline constexpr auto kWalshWords = makeWalshWords();

/// How runs of words are cut into patterns and what their numbers mean.
struct PatternSet {
  unsigned length = 0;
  unsigned basesLog2 = 0;
  float amplitude = 0;

  unsigned lengthLog2() const noexcept { return static_cast<unsigned>(std::bit_width(length - 1)); }
  unsigned bits() const noexcept { return 1 + lengthLog2() + basesLog2; }
  std::uint64_t patternsIn(std::uint64_t words) const noexcept {
    return (words + length - 1) / length;
  }

  /// The signs of pattern `number` as bits; `signs` holds length / 64 words, rounded up.
  void signs(std::uint32_t number, std::uint64_t* signs) const noexcept {
    const std::uint32_t function = number & ((1U << lengthLog2()) - 1);
    const std::uint32_t basis = number >> lengthLog2() & ((1U << basesLog2) - 1);
    const bool negative = (number >> (bits() - 1) & 1) != 0;
    for (std::uint32_t w = 0; w * 64 < length; ++w) {
      const bool odd = (std::popcount(function >> 6 & w) & 1) != 0;
      signs[w] = kWalshWords[function & 63] ^ kernels::flipWord(basis, w) ^
                 (odd != negative ? ~std::uint64_t{0} : 0);
    }
  }
};

}  // namespace strata
