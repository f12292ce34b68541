#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/codec/lossy/levels_codec.h"
#include "core/codec/lossy/patterns_codec.h"
#include "core/codec/predict/singular_cache.h"
#include "tests/support/part_samples.h"

namespace strata {
namespace {

constexpr std::uint64_t kRows = 96;
constexpr std::uint64_t kColumns = 128;

/// A matrix of changes of which some rows and columns count much more than the others.
struct Weighted {
  std::vector<float> values;
  std::vector<float> rows;
  std::vector<float> columns;
  test::PartSample sample;

  Weighted() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, 0.01F);
    std::vector<float> left(3 * kRows);
    std::vector<float> right(3 * kColumns);
    for (float& x : left) x = 10 * normal(random);
    for (float& x : right) x = normal(random);
    for (std::uint64_t i = 0; i < kRows * kColumns; ++i) {
      float value = normal(random);
      for (int k = 0; k < 3; ++k) {
        value += 2 * left[static_cast<std::size_t>(k) * kRows + i / kColumns] *
                 right[static_cast<std::size_t>(k) * kColumns + i % kColumns];
      }
      values.push_back(value);
    }
    for (std::uint64_t r = 0; r < kRows; ++r) rows.push_back(r % 4 == 0 ? 3.4F : 0.2F);
    for (std::uint64_t c = 0; c < kColumns; ++c) columns.push_back(c % 4 == 1 ? 3.4F : 0.2F);
    sample.shape = {wordFormat(ElementType::F32), kRows, kColumns};
    sample.words = test::wordsOf(values, ElementType::F32);
    sample.parent = test::wordsOf(std::vector<float>(values.size(), 0), ElementType::F32);
  }

  ErrorWeights weights() const { return {rows, columns}; }

  double weightedError(const LossyPart& part) const {
    const auto restored = test::valuesOf(part.restored, ElementType::F32);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = static_cast<double>(restored[i]) - values[i];
      sum += off * off * rows[i / kColumns] * columns[i % kColumns];
    }
    return sum;
  }
};

/// The weighted error with the weights as a share of that without.
double gainOf(CodecId codec, LossySettings settings, double mostGrowth = 1.1) {
  const Weighted changes;
  const auto plain = encodeLossy(codec, changes.sample.input(), settings);
  settings.weights = changes.weights();
  settings.step *= 0.75;  // where fewer words are worth a level, finer ones take no more bytes
  const auto weighted = encodeLossy(codec, changes.sample.input(), settings);
  EXPECT_TRUE(plain && weighted);
  if (!plain || !weighted) return 1;
  EXPECT_LE(static_cast<double>(weighted->payload.size()),
            mostGrowth * static_cast<double>(plain->payload.size()));
  return changes.weightedError(*weighted) / changes.weightedError(*plain);
}

TEST(WeightedErrors, AreSmallerWithFactorsForThem) {
  EXPECT_LT(gainOf(CodecId::Patterns, {.patternLength = 0, .rank = 2}, 1.7), 0.95);
}

TEST(WeightedErrors, AreSmallerWithPatternsForThem) {
  EXPECT_LT(gainOf(CodecId::Patterns, {.gain = 0, .patternLength = 32}), 0.95);
}

TEST(WeightedErrors, AreSmallerWithLevelsForThem) {
  EXPECT_LT(gainOf(CodecId::Levels, {.step = 0.01, .gain = 0}), 0.95);
}

TEST(WeightedErrors, ProjectWithoutBiasAsTheyAreWeighed) {
  const Weighted changes;
  for (const CodecId codec : {CodecId::Patterns, CodecId::Levels}) {
    const auto part =
        encodeLossy(codec, changes.sample.input(),
                    {.step = 0.02, .patternLength = 64, .weights = changes.weights()});
    ASSERT_TRUE(part) << part.error().message;
    const auto restored = test::valuesOf(part->restored, ElementType::F32);
    double energy = 0;
    double projection = 0;
    for (std::size_t i = 0; i < restored.size(); ++i) {
      const double weight = changes.rows[i / kColumns] * changes.columns[i % kColumns];
      energy += weight * changes.values[i] * changes.values[i];
      projection += weight * changes.values[i] * restored[i];
    }
    EXPECT_NEAR(projection / energy, 1, 0.01);
  }
}

TEST(SingularCache, ChangesNothing) {
  const Weighted changes;
  SingularCache cache(1 << 20);
  LossySettings settings{.patternLength = 0, .rank = 2};
  const auto without = encodePatterns(changes.sample.input(), settings);
  settings.singular = {&cache, {7, 0, 0}};
  for (int round = 0; round < 2; ++round) {
    const auto with = encodePatterns(changes.sample.input(), settings);
    ASSERT_TRUE(without && with);
    EXPECT_EQ(with->payload, without->payload);
  }
  EXPECT_TRUE(cache.find({7, 0, 0, kRows, 0, 2}));
  settings.weights = changes.weights();
  const auto weighted = encodePatterns(changes.sample.input(), settings);
  ASSERT_TRUE(weighted);
  EXPECT_NE(weighted->payload, without->payload);
}

TEST(SingularCache, KeepsWhatFits) {
  const auto svd = std::make_shared<TruncatedSvd>(
      TruncatedSvd{Eigen::MatrixXf(10, 2), Eigen::MatrixXf(20, 2), 0, 0});
  SingularCache cache(2 * 60 * sizeof(float));
  for (std::uint64_t part = 0; part < 3; ++part) cache.keep({part, 0, 0, 10, 0, 2}, svd);
  EXPECT_TRUE(cache.find({0, 0, 0, 10, 0, 2}));
  EXPECT_TRUE(cache.find({1, 0, 0, 10, 0, 2}));
  EXPECT_FALSE(cache.find({2, 0, 0, 10, 0, 2}));
  EXPECT_FALSE(cache.find({1, 0, 0, 10, 0, 4}));
}

}  // namespace
}  // namespace strata
