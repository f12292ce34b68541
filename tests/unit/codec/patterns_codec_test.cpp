#include "core/codec/lossy/patterns_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/codec/lossy/coarse_factors.h"
#include "core/codec/lossy/levels_codec.h"
#include "tests/support/part_samples.h"

namespace strata {
namespace {

constexpr std::uint64_t kRows = 96;
constexpr std::uint64_t kColumns = 128;

/// A matrix of normal changes on a parent of zeros, so that what is restored is the reconstruction.
struct Changes {
  std::vector<float> values;
  test::PartSample sample;

  explicit Changes(unsigned seed, double coherent = 0) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.01F);
    std::vector<float> rows(kRows);
    std::vector<float> columns(kColumns);
    for (float& x : rows) x = normal(random) * 100;
    for (float& x : columns) x = normal(random);
    for (std::uint64_t i = 0; i < kRows * kColumns; ++i) {
      const float part = rows[i / kColumns] * columns[i % kColumns];
      values.push_back(normal(random) + static_cast<float>(coherent) * part);
    }
    sample.shape = {wordFormat(ElementType::F32), kRows, kColumns};
    sample.words = test::wordsOf(values, ElementType::F32);
    sample.parent = test::wordsOf(std::vector<float>(values.size(), 0), ElementType::F32);
  }

  double energy() const { return product(values); }
  /// Scalar product with the changes.
  double product(const std::vector<float>& other) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += static_cast<double>(values[i]) * other[i];
    return sum;
  }
};

std::vector<float> restoredValues(const LossyPart& part) {
  return test::valuesOf(part.restored, ElementType::F32);
}

TEST(Patterns, ProjectOnTheChangesWithoutBias) {
  const Changes changes(1);
  const auto part = encodePatterns(changes.sample.input(), {.patternLength = 64});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_NEAR(changes.product(restoredValues(*part)) / changes.energy(), 1, 1e-3);
}

TEST(Patterns, TakeTheirBitsAndHardlyMore) {
  const Changes changes(2);
  const auto part =
      encodePatterns(changes.sample.input(), {.patternLength = 64, .patternBasesLog2 = 4});
  ASSERT_TRUE(part) << part.error().message;
  const std::size_t bits = kRows * kColumns / 64 * (1 + 6 + 4);
  EXPECT_GE(part->payload.size(), bits / 8);
  EXPECT_LE(part->payload.size(), bits / 8 + 24);
}

TEST(Patterns, ComeNearerTheMoreBasesThereAre) {
  const Changes changes(3);
  double last = 0;
  for (const unsigned bases : {0U, 3U, 6U}) {
    const auto part = encodePatterns(changes.sample.input(),
                                     {.gain = 0, .patternLength = 64, .patternBasesLog2 = bases});
    ASSERT_TRUE(part) << part.error().message;
    const double explained = changes.product(restoredValues(*part)) / changes.energy();
    EXPECT_GT(explained, last * 1.1);
    last = explained;
  }
}

TEST(Patterns, LeaveCoherentChangesToTheFactors) {
  const Changes changes(4, 3);
  const auto part = encodePatterns(changes.sample.input(), {.patternLength = 0, .rank = 4});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_GT(changes.product(restoredValues(*part)) / changes.energy(), 0.7);
  EXPECT_LT(part->payload.size(), 220U);
}

/// Root mean square of the errors' sums over rows.
double rowError(const Changes& changes, const std::vector<float>& restored) {
  double squares = 0;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    double sum = 0;
    for (std::uint64_t i = r * kColumns; i < (r + 1) * kColumns; ++i) {
      sum += static_cast<double>(restored[i]) - changes.values[i];
    }
    squares += sum * sum;
  }
  return std::sqrt(squares / kRows);
}

TEST(Patterns, KeepTheSumsOfRowsWhereThatIsAskedFor) {
  for (const unsigned rank : {0U, 4U}) {
    for (const unsigned length : {16U, 60U, 256U}) {
      const Changes changes(4, 0.5);
      LossySettings settings{.patternLength = length, .rank = rank};
      const auto plain = encodePatterns(changes.sample.input(), settings);
      settings.keepsRowSums = true;
      const auto kept = encodePatterns(changes.sample.input(), settings);
      ASSERT_TRUE(plain && kept);
      EXPECT_LT(rowError(changes, restoredValues(*kept)),
                0.3 * rowError(changes, restoredValues(*plain)))
          << length << ", rank " << rank;
      EXPECT_LE(kept->payload.size(), plain->payload.size() + kRows / 2 + kColumns / 4 + 32);
    }
  }
}

TEST(Patterns, KeepTheSumsOfRowsUnderWeights) {
  const Changes changes(5);
  const std::vector<float> rows(kRows, 1);
  std::vector<float> columns(kColumns, 0.5F);
  std::fill_n(columns.begin(), kColumns / 2, 1.5F);
  LossySettings settings{.patternLength = 64, .weights = {rows, columns}};
  const auto plain = encodePatterns(changes.sample.input(), settings);
  settings.keepsRowSums = true;
  const auto kept = encodePatterns(changes.sample.input(), settings);
  ASSERT_TRUE(plain && kept);
  EXPECT_LT(rowError(changes, restoredValues(*kept)),
            0.3 * rowError(changes, restoredValues(*plain)));
}

TEST(CoarseFactors, TakeNoOffsetsThatTheyCannotHold) {
  const PartShape shape{wordFormat(ElementType::F32), 4, 4};
  CoarseFactors factors;
  addRowOffsets(shape, std::vector<double>(4, 0.0), factors);
  EXPECT_EQ(factors.rank(), 0U);
  addRowOffsets(shape, std::vector<double>(4, std::numeric_limits<double>::infinity()), factors);
  EXPECT_EQ(factors.rank(), 0U);
  addRowOffsets(shape, std::vector<double>(4, 1e-300), factors);
  EXPECT_EQ(factors.rank(), 0U);
  for (unsigned k = 1; k <= 5; ++k) {
    addRowOffsets(shape, std::vector<double>{0.1, -0.2, 0.3, 0}, factors);
    EXPECT_EQ(factors.rank(), std::min(k, 4U));  // no more than rows or columns
  }
}

TEST(Patterns, RefuseSettingsOutOfRange) {
  const Changes changes(5);
  for (const LossySettings& settings :
       {LossySettings{.patternLength = 7}, LossySettings{.patternLength = 5000},
        LossySettings{.patternBasesLog2 = 13}}) {
    const auto part = encodePatterns(changes.sample.input(), settings);
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(Patterns, RefuseWordsThatAreNoNumbers) {
  Changes changes(6);
  changes.values[77] = std::numeric_limits<float>::quiet_NaN();
  changes.sample.words = test::wordsOf(changes.values, ElementType::F32);
  for (const CodecId codec : {CodecId::Patterns, CodecId::Levels}) {
    const auto part = encodeLossy(codec, changes.sample.input(), {.step = 0.01});
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(part.error().message.find("word 77"), std::string::npos) << part.error().message;
  }
}

TEST(Levels, KeepWordsNearAtFineSteps) {
  const Changes changes(7);
  const auto part =
      encodeLevels(changes.sample.input(), {.step = 1e-4, .deadZone = 0.5, .gain = 0});
  ASSERT_TRUE(part) << part.error().message;
  const auto restored = restoredValues(*part);
  for (std::size_t i = 0; i < restored.size(); ++i) {
    EXPECT_NEAR(restored[i], changes.values[i], 2.1e-4);
  }
}

TEST(Levels, ProjectOnTheChangesWithoutBias) {
  const Changes changes(8);
  const auto part = encodeLevels(changes.sample.input(), {.step = 0.03});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_NEAR(changes.product(restoredValues(*part)) / changes.energy(), 1, 0.01);
}

TEST(Levels, KeepProtectedWordsAsBf16) {
  Changes changes(9);
  changes.values[5] = 3;
  changes.values[900] = -2.5;
  changes.sample.words = test::wordsOf(changes.values, ElementType::F32);
  const auto part =
      encodeLevels(changes.sample.input(), {.levelCount = 5, .gain = 0, .protectShare = 0.0005});
  ASSERT_TRUE(part) << part.error().message;
  const auto restored = restoredValues(*part);
  EXPECT_EQ(restored[5], 3);
  EXPECT_EQ(restored[900], -2.5);
}

TEST(CoarseFactors, ComeBackFromTheirBytes) {
  Changes changes(10, 2);
  const CoarseFactors factors =
      takeCoarseFactors(changes.sample.shape, changes.values, {.rank = 8, .factorStep = 0.5});
  ASSERT_GT(factors.rank(), 0U);
  ByteWriter out;
  writeCoarseFactors(out, factors);
  ByteReader in(out.view());
  const auto read = readCoarseFactors(in, changes.sample.shape);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->scaleLog2, factors.scaleLog2);
  EXPECT_EQ(read->multipliers, factors.multipliers);
  EXPECT_EQ(read->rows, factors.rows);
  EXPECT_EQ(read->columns, factors.columns);
}

TEST(CoarseFactors, AreNotWorthTheirBitsOnNoise) {
  Changes changes(11);
  EXPECT_EQ(takeCoarseFactors(changes.sample.shape, changes.values, {.rank = 8}).rank(), 0U);
}

}  // namespace
}  // namespace strata
