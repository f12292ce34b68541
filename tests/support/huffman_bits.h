#pragma once

#include <cstdint>
#include <span>

#include "core/codec/entropy/huffman.h"

namespace strata::test {

/// Bits that the counted symbols take in such a code, without its table.
inline double huffmanBits(std::span<const std::uint32_t> counts) {
  const auto lengths = huffmanLengths(counts);
  double bits = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) bits += 1.0 * lengths[s] * counts[s];
  return bits;
}

}  // namespace strata::test
