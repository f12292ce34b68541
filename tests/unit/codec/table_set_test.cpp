#include "core/codec/exact/table_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace strata {
namespace {

/// Symbols that grow with the context, as the differences' classes do.
ContextCounts countsOf(std::size_t alphabet, std::size_t symbols, std::size_t contexts,
                       unsigned seed) {
  std::mt19937 random(seed);
  ContextCounts counts(alphabet);
  for (std::size_t i = 0; i < symbols; ++i) {
    const auto context = static_cast<std::uint8_t>(random() % contexts);
    std::normal_distribution<double> normal(context, 2);
    const double drawn = std::clamp(normal(random), 0.0, static_cast<double>(alphabet - 1));
    const auto symbol = static_cast<std::uint8_t>(drawn);
    counts.count(&context, &symbol, 1, counts);
  }
  return counts;
}

std::vector<std::byte> written(const TableSet& set) {
  ByteWriter out;
  writeTableSet(out, set);
  return out.take();
}

TEST(TableSet, IsReadAsItWasWritten) {
  for (const std::size_t alphabet : {64, 128}) {
    const TableSet set = buildTableSet(countsOf(alphabet, 200'000, 60, 1));
    const auto bytes = written(set);
    ByteReader in(bytes);
    const auto read = readTableSet(in, alphabet);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->map, set.map);
    EXPECT_EQ(read->tables, set.tables);
    EXPECT_EQ(read->slots, decoderTable(set.tables));
    EXPECT_TRUE(in.rest().empty());
  }
}

TEST(TableSet, TakesMoreTablesTheMoreSymbolsThereAre) {
  const std::size_t few = buildTableSet(countsOf(64, 300, 60, 2)).tables.size();
  const std::size_t many = buildTableSet(countsOf(64, 300'000, 60, 2)).tables.size();
  EXPECT_LT(few, 8U);
  EXPECT_GT(many, 2 * few);
}

TEST(TableSet, CodesWhatItWasBuiltFromNearTheEntropyOfItsContexts) {
  const ContextCounts counts = countsOf(64, 300'000, 60, 3);
  const double bits = buildTableSet(counts).codedBits(counts);
  EXPECT_LT(bits, 1.02 * counts.bits());
  EXPECT_GT(bits, 0.99 * counts.bits());
}

TEST(TableSet, FromASampleCodesTheWholeAtHardlyMore) {
  ContextCounts sample = countsOf(64, 75'000, 40, 4);
  sample.scale(4);
  const ContextCounts whole = countsOf(64, 300'000, 40, 5);
  const double bits = buildOpenTableSet(sample).codedBits(whole);
  EXPECT_LT(bits, 1.01 * buildTableSet(whole).codedBits(whole));
}

TEST(TableSet, HasATableEvenForNothing) {
  const TableSet set = buildTableSet(ContextCounts(64));
  const auto bytes = written(set);
  ByteReader in(bytes);
  EXPECT_TRUE(readTableSet(in, 64));
}

TEST(SharedTableSet, CodesSymbolsItHasNotSeen) {
  const ContextCounts counts = countsOf(64, 10'000, 60, 4);
  const TableSet shared = buildSharedTableSet(counts);
  EXPECT_TRUE(std::isfinite(shared.codedBits(countsOf(64, 2000, 30, 5))));
  EXPECT_LT(shared.codedBits(counts), 1.1 * buildTableSet(counts).codedBits(counts));
}

TEST(SharedTableSet, TakesCountsThatPass32Bits) {
  const ContextCounts counts = countsOf(64, 10'000, 60, 4);
  ContextCounts many = counts;
  for (int i = 0; i < 18; ++i) many.add(ContextCounts(many));
  const double few = buildSharedTableSet(counts).codedBits(counts);
  EXPECT_LT(buildSharedTableSet(many).codedBits(counts), 1.05 * few);
  for (int i = 0; i < 10; ++i) many.add(ContextCounts(many));
  const TableSet saturated = buildSharedTableSet(many);
  EXPECT_TRUE(std::isfinite(saturated.codedBits(counts)));
  EXPECT_EQ(saturated.slots.size(), saturated.tables.size() * kernels::kProbabilityScale);
}

TEST(TableSet, IsRejectedWhenCutAtAnyByte) {
  const auto bytes = written(buildTableSet(countsOf(64, 3000, 60, 6)));
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    ByteReader in{std::span(bytes).first(kept)};
    EXPECT_FALSE(readTableSet(in, 64)) << kept;
  }
}

TEST(TableSet, IsRejectedIfItsRunsDoNotCoverTheContexts) {
  const auto bytes = written(buildTableSet(countsOf(64, 30'000, 60, 7)));
  const auto tables = std::to_integer<std::size_t>(bytes[0]);
  ASSERT_GT(tables, 2U);
  for (std::size_t i = 1; i <= tables; ++i) {
    for (const int value : {0, 65, 255}) {
      auto damaged = bytes;
      damaged[i] = static_cast<std::byte>(value);
      ByteReader in(damaged);
      EXPECT_FALSE(readTableSet(in, 64)) << "run " << i << " of " << value;
    }
  }
  for (const int count : {0, 255}) {
    auto damaged = bytes;
    damaged[0] = static_cast<std::byte>(count);
    ByteReader in(damaged);
    EXPECT_FALSE(readTableSet(in, 64)) << count << " tables";
  }
}

TEST(PackedCounts, GiveBackWhatWasCounted) {
  for (const std::size_t alphabet : {64, 128}) {
    const ContextCounts counts = countsOf(alphabet, 60'000, 60, 5);
    const ContextCounts back = PackedCounts(counts).unpacked();
    for (std::size_t c = 0; c < kContexts; ++c) {
      EXPECT_TRUE(std::ranges::equal(back.of(c), counts.of(c))) << c;
    }
  }
}

TEST(PackedCounts, OfAFewWordsTakeLittle) {
  EXPECT_LE(PackedCounts(countsOf(128, 16, 60, 6)).byteCount(), 16 * sizeof(std::uint32_t));
}

TEST(ContextCounts, SayWhichContextsAreNotUsed) {
  ContextCounts few = countsOf(64, 500, 7, 7);
  for (std::size_t c = 0; c < kContexts; ++c) EXPECT_EQ(few.mayUse(c), c < 7) << c;
  ContextCounts sum(64);
  sum.add(few);
  EXPECT_EQ(sum.bits(), few.bits());
  EXPECT_FALSE(sum.mayUse(40));
}

}  // namespace
}  // namespace strata
