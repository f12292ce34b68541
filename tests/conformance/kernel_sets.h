#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/level_kernels.h"

namespace strata::test {

/// Counts around every width that a loop may have.
inline constexpr std::size_t kOddCounts[] = {
    1,  2,  3,   4,   5,   7,   8,   9,   15,  16,   17,   31,   32,   33,   63,  64,
    65, 96, 127, 128, 129, 255, 256, 257, 511, 1000, 1023, 4095, 4096, 4097, 5003};

/// Compares a set of kernels of this CPU with the plain loops.
class EveryKernelSet : public testing::TestWithParam<const kernels::CpuKernels*> {
 protected:
  static const kernels::CpuKernels& set() { return *GetParam(); }
  static const kernels::CpuKernels& plain() { return kernels::scalarKernels(); }
};

inline std::string setName(const testing::TestParamInfo<const kernels::CpuKernels*>& info) {
  return info.param->name;
}

/// Random words; one in four is a pattern on the edge of a format.
template <typename Word>
std::vector<Word> edgyWords(std::size_t count, unsigned seed) {
  constexpr std::uint64_t kEdges[] = {0,          1,          0x7fff,     0x8000,     0xffff,
                                      0x7f80,     0x7c00,     0x3f80,     0x7fffffff, 0x80000000,
                                      0xffffffff, 0x7f800000, 0xff800000, 0x007fffff, 0x00800000,
                                      0x7f7fffff, 0x40000000, 0xc0000000, 0x7fc00001, 0xff800001};
  std::mt19937_64 random(seed);
  std::vector<Word> words(count);
  for (Word& word : words) {
    const std::uint64_t drawn = random();
    word = static_cast<Word>(drawn % 4 == 0 ? kEdges[drawn / 4 % std::size(kEdges)] : drawn >> 32);
  }
  return words;
}

/// Words near `parent`, some the same, some far.
template <typename Word>
std::vector<Word> nearWords(const std::vector<Word>& parent, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Word> words = parent;
  for (Word& word : words) {
    const unsigned bits = static_cast<unsigned>(random() % (8 * sizeof(Word) + 1));
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    word = static_cast<Word>(word + (random() & mask) - (mask >> 1));
  }
  return words;
}

/// Every way that the difference coders look at words of `bits` bits.
inline std::vector<kernels::DeltaFormat> deltaFormats(unsigned bits) {
  std::vector<kernels::DeltaFormat> formats{{0, false, false}, {0, false, true}};
  for (const unsigned mantissa : {0U, 2U, 7U, 10U, 23U}) {
    if (mantissa >= bits) continue;
    formats.push_back({mantissa, true, false});
    formats.push_back({mantissa, false, true});
  }
  return formats;
}

}  // namespace strata::test
