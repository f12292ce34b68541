#include "core/codec/entropy/rans_block.h"

#include <gtest/gtest.h>

#include <random>

#include "core/codec/entropy/frequency_table.h"

namespace strata {
namespace {

struct Coded {
  std::vector<std::uint8_t> symbols;
  FrequencyTable table;
  std::vector<std::byte> stream;
};

Coded code(std::size_t count, double skew, unsigned seed) {
  std::mt19937 random(seed);
  std::geometric_distribution<unsigned> geometric(skew);
  Coded coded;
  std::vector<std::uint32_t> counts(256);
  for (std::size_t i = 0; i < count; ++i) {
    coded.symbols.push_back(static_cast<std::uint8_t>(std::min(255U, geometric(random))));
    ++counts[coded.symbols.back()];
  }
  coded.table = normalise(counts);
  RansScratch scratch;
  appendSymbolStream(encoderTable({&coded.table, 1}), coded.symbols, lanesFor(count), scratch,
                     coded.stream);
  return coded;
}

TEST(RansStream, TakesManyLanesWhereTheyWeighLittle) {
  EXPECT_EQ(lanesFor(1), 4U);
  EXPECT_EQ(lanesFor(16'383), 4U);
  EXPECT_EQ(lanesFor(16'384), 32U);
}

TEST(RansStream, EndsCleanAfterItsLastSymbol) {
  for (const std::size_t count : {1, 3, 4, 5, 1000, 16'384, 40'001}) {
    const Coded coded = code(count, 0.1, 1);
    auto decoder = openRansStream(coded.stream, lanesFor(count));
    ASSERT_TRUE(decoder);
    std::vector<std::uint8_t> symbols(count);
    kernels::bestKernels().decodeSymbols(*decoder, decoderTable({&coded.table, 1}).data(), count,
                                         symbols.data());
    EXPECT_EQ(symbols, coded.symbols);
    EXPECT_TRUE(endedClean(*decoder));
  }
}

TEST(RansStream, CostsNearlyTheEntropy) {
  for (const double skew : {0.9, 0.2, 0.02}) {
    const Coded coded = code(65'536, skew, 2);
    std::vector<std::uint32_t> counts(256);
    for (const std::uint8_t symbol : coded.symbols) ++counts[symbol];
    const double bits = codedBits(counts, coded.table);
    EXPECT_NEAR(8.0 * static_cast<double>(coded.stream.size()), bits, 0.002 * bits + 32 * 32);
  }
}

TEST(RansStream, DoesNotOpenIfItIsTooShortOrOdd) {
  const Coded coded = code(1000, 0.2, 3);
  EXPECT_FALSE(openRansStream(std::span(coded.stream).first(15), 4));
  EXPECT_TRUE(openRansStream(std::span(coded.stream).first(16), 4));
  EXPECT_FALSE(openRansStream(std::span(coded.stream).first(17), 4));
  EXPECT_FALSE(openRansStream(std::span(coded.stream).first(126), 32));
}

TEST(RansStream, DoesNotEndCleanWhenItIsCutOrGoesOn) {
  const Coded coded = code(1000, 0.05, 4);
  const auto slots = decoderTable({&coded.table, 1});
  for (std::size_t bytes = 16; bytes <= coded.stream.size() + 4; bytes += 2) {
    auto stream = coded.stream;
    stream.resize(bytes);
    auto decoder = openRansStream(stream, 4);
    ASSERT_TRUE(decoder);
    std::vector<std::uint8_t> symbols(1000);
    kernels::bestKernels().decodeSymbols(*decoder, slots.data(), 1000, symbols.data());
    EXPECT_EQ(endedClean(*decoder), bytes == coded.stream.size()) << bytes;
  }
}

}  // namespace
}  // namespace strata
