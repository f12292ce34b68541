#include "core/codec/entropy/frequency_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace strata {
namespace {

using Counts = std::vector<std::uint32_t>;

std::uint32_t sumOf(const FrequencyTable& table) {
  return std::accumulate(table.begin(), table.end(), 0U);
}

Counts drawnCounts(std::size_t alphabet, double skew, unsigned seed) {
  std::mt19937 random(seed);
  std::geometric_distribution<std::size_t> geometric(skew);
  Counts counts(alphabet);
  for (int i = 0; i < 50'000; ++i) ++counts[std::min(alphabet - 1, geometric(random))];
  return counts;
}

std::vector<std::byte> written(const std::vector<FrequencyTable>& tables) {
  ByteWriter out;
  writeTables(out, tables);
  return out.take();
}

TEST(FrequencyTable, SumsToTheScaleAndKeepsEverySymbol) {
  for (const double skew : {0.9, 0.3, 0.02}) {
    const Counts counts = drawnCounts(200, skew, 1);
    const FrequencyTable table = normalise(counts);
    EXPECT_EQ(sumOf(table), kernels::kProbabilityScale);
    for (std::size_t s = 0; s < counts.size(); ++s) EXPECT_EQ(counts[s] == 0, table[s] == 0) << s;
  }
}

TEST(FrequencyTable, KeepsSymbolsThatAreRareBesideOneThatIsCommon) {
  Counts counts(256, 1);
  counts[17] = 0xf0000000;
  const FrequencyTable table = normalise(counts);
  EXPECT_EQ(sumOf(table), kernels::kProbabilityScale);
  EXPECT_EQ(table[17], kernels::kProbabilityScale - 255);
}

TEST(FrequencyTable, IsEmptyWhereNothingOccurs) {
  EXPECT_EQ(normalise(Counts(64)), FrequencyTable(64, 0));
  EXPECT_EQ(entropyBits(Counts(64)), 0);
}

TEST(FrequencyTable, CostsNearlyTheEntropy) {
  for (const double skew : {0.9, 0.3, 0.1}) {
    const Counts counts = drawnCounts(128, skew, 2);
    EXPECT_LT(codedBits(counts, normalise(counts)), 1.01 * entropyBits(counts)) << skew;
  }
}

TEST(FrequencyTable, CannotCodeSymbolsWithoutAPlace) {
  EXPECT_TRUE(std::isinf(codedBits(Counts{1, 1}, FrequencyTable{2048, 0})));
}

TEST(FrequencyTables, AreReadAsTheyWereWritten) {
  std::vector<FrequencyTable> tables;
  for (unsigned i = 0; i < 12; ++i) {
    tables.push_back(i == 5 ? FrequencyTable(128, 0)
                            : normalise(drawnCounts(128, 0.03 * (i + 1), i)));
  }
  const auto bytes = written(tables);
  ByteReader in(bytes);
  EXPECT_EQ(readTables(in, tables.size(), 128), tables);
  EXPECT_TRUE(in.rest().empty());
}

TEST(FrequencyTables, AreRejectedWhenCutAtAnyByte) {
  const auto bytes =
      written({normalise(drawnCounts(64, 0.2, 3)), normalise(drawnCounts(64, 0.1, 4))});
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    ByteReader in{std::span(bytes).first(kept)};
    EXPECT_FALSE(readTables(in, 2, 64)) << kept;
  }
}

TEST(FrequencyTables, AreReadOnlyInTheFormThatIsWritten) {
  // Whatever bit flips: another form of the same tables is none.
  const std::vector<FrequencyTable> tables{normalise(drawnCounts(64, 0.2, 5)),
                                           normalise(drawnCounts(64, 0.25, 6))};
  const auto bytes = written(tables);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    ByteReader in(damaged);
    const auto read = readTables(in, 2, 64);
    EXPECT_FALSE(read && *read == tables) << "bit " << bit;
  }
}

TEST(FrequencyTables, AreRejectedForASmallerAlphabet) {
  const auto bytes = written({normalise(drawnCounts(128, 0.02, 7))});
  ByteReader in(bytes);
  EXPECT_FALSE(readTables(in, 1, 64));
}

TEST(FrequencyTables, GiveEverySlotOfTheDecoderASymbol) {
  const std::vector<FrequencyTable> tables{normalise(drawnCounts(128, 0.1, 8)),
                                           FrequencyTable(128, 0)};
  const auto slots = decoderTable(tables);
  ASSERT_EQ(slots.size(), 2 * kernels::kProbabilityScale);
  for (std::uint32_t slot = 0; slot < kernels::kProbabilityScale; ++slot) {
    const std::uint32_t symbol = slots[slot] >> 22;
    EXPECT_EQ((slots[slot] >> kernels::kProbabilityBits & 2047) + 1, tables[0][symbol]);
    EXPECT_EQ(slots[kernels::kProbabilityScale + slot] >> 22, 0U);
  }
}

}  // namespace
}  // namespace strata
