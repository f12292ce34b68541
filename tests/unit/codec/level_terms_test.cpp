#include "core/codec/lossy/level_terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/level_stream.h"

namespace strata {
namespace {

/// Levels of a matrix whose rows and columns differ in activity; some rows are all zero.
std::vector<std::int32_t> levelsOf(const PartShape& shape, double activity) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, 1);
  std::vector<std::int32_t> levels;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    for (std::uint64_t c = 0; c < shape.columns; ++c) {
      const double scale = r % 7 == 0 ? 0 : activity * std::exp2(r % 5) * std::exp2(c % 3);
      levels.push_back(static_cast<std::int32_t>(scale * normal(random)));
    }
  }
  return levels;
}

NonZeroLevels nonZeroOf(const PartShape& shape, std::span<const std::int32_t> levels) {
  NonZeroLevels found(shape);
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const auto row = levels.subspan(r * shape.columns, shape.columns);
    found.addRow(row, std::vector<float>(row.begin(), row.end()));
  }
  return found;
}

std::vector<PartShape> everyShape() {
  const WordFormat f32 = wordFormat(ElementType::F32);
  return {{.word = f32, .rows = 1, .columns = 1},     {.word = f32, .rows = 1, .columns = 1000},
          {.word = f32, .rows = 90, .columns = 3},    {.word = f32, .rows = 64, .columns = 77},
          {.word = f32, .rows = 400, .columns = 500}, {.word = f32, .rows = 5000, .columns = 40}};
}

std::array<std::uint8_t, kContexts> sameMap() {
  std::array<std::uint8_t, kContexts> same;
  std::iota(same.begin(), same.end(), std::uint8_t{0});
  return same;
}

TEST(NonZeroLevels, ListsLevelsByRowAndForgetsThoseThatBecomeZero) {
  const PartShape shape{.word = wordFormat(ElementType::F32), .rows = 3, .columns = 4};
  NonZeroLevels levels = nonZeroOf(shape, std::vector<std::int32_t>{0, 5, 0, -1,  //
                                                                    0, 0, 0, 0,   //
                                                                    2, 0, 0, 7});
  EXPECT_EQ(std::vector(levels.columns().begin(), levels.columns().end()),
            (std::vector<std::uint32_t>{1, 3, 0, 3}));
  EXPECT_EQ(std::vector(levels.rowEnds().begin(), levels.rowEnds().end()),
            (std::vector<std::size_t>{2, 2, 4}));
  levels.change([](std::size_t row, std::uint32_t column, std::int32_t level, float value) {
    EXPECT_EQ(value, static_cast<float>(level));
    return row == 0 && column == 3 ? 0 : level - 2;
  });
  EXPECT_EQ(std::vector(levels.levels().begin(), levels.levels().end()),
            (std::vector<std::int32_t>{3, 5}));
  EXPECT_EQ(std::vector(levels.columns().begin(), levels.columns().end()),
            (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(std::vector(levels.rowEnds().begin(), levels.rowEnds().end()),
            (std::vector<std::size_t>{1, 1, 2}));
  EXPECT_EQ(std::vector(levels.values().begin(), levels.values().end()),
            (std::vector<float>{5, 7}));
  std::vector<std::int32_t> written(9, 77);
  levels.write(3, written);
  EXPECT_EQ(written, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, 0, 5}));
  levels.write(0, written);
  EXPECT_EQ(written, (std::vector<std::int32_t>{0, 3, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(ChosenTerms, CountsWhatEachContextHolds) {
  for (const PartShape& shape : everyShape()) {
    for (const double activity : {0.0, 0.05, 0.7, 30.0}) {
      const std::vector<std::int32_t> levels = levelsOf(shape, activity);
      const NonZeroLevels nonZero = nonZeroOf(shape, levels);
      for (const ChosenTerms& chosen :
           {chooseTerms(shape, nonZero), chooseTermsBySample(shape, nonZero)}) {
        std::vector<std::uint8_t> contexts(levels.size());
        levelContexts(shape, chosen.terms, 0, sameMap(), contexts);
        const ContextCounts expected = LevelSymbols(levels).countsIn(contexts);
        for (std::size_t c = 0; c < kContexts; ++c) {
          const auto found = chosen.counts.of(c);
          const auto wanted = expected.of(c);
          ASSERT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()))
              << shape.rows << " x " << shape.columns << ", context " << c;
        }
      }
    }
  }
}

TEST(ChosenTerms, GiveContextsOfAnyRunOfWords) {
  const PartShape shape{.word = wordFormat(ElementType::F32), .rows = 64, .columns = 77};
  const std::vector<std::int32_t> levels = levelsOf(shape, 0.7);
  const ScaleTerms terms = chooseTerms(shape, nonZeroOf(shape, levels)).terms;
  std::vector<std::uint8_t> whole(levels.size());
  levelContexts(shape, terms, 0, sameMap(), whole);
  for (const std::size_t first : {1UL, 76UL, 77UL, 500UL}) {
    std::vector<std::uint8_t> part(1000);
    levelContexts(shape, terms, first, sameMap(), part);
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST(BlockChecksum, OfPiecesIsThatOfTheBlock) {
  std::vector<std::byte> bytes(100'001);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 3);
  for (const std::size_t piece : {999UL, 16'384UL, 200'000UL}) {
    BlockChecksum checksum;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      checksum.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    EXPECT_EQ(checksum.value(), blockChecksum(bytes));
  }
}

}  // namespace
}  // namespace strata
