#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/codec/lossy/quantizing_steps.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

double squaredError(std::span<const SketchBucket> buckets, const std::vector<float>& levels) {
  double error = 0;
  for (const SketchBucket& b : buckets) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const float level : levels) nearest = std::min(nearest, std::abs(double{b.value} - level));
    error += nearest * nearest * static_cast<double>(b.count);
  }
  return error;
}

TEST(LevelFitting, GivesAsManyLevelsAsThereAreValues) {
  const auto levels =
      fitLevels(sketchOf(std::vector<float>{-2.0F, -2.0F, 0.0F, 5.0F}).buckets(), {});
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_NEAR(levels[0], -2.0F, 0.021F);
  EXPECT_EQ(levels[1], 0.0F);
  EXPECT_NEAR(levels[2], 5.0F, 0.051F);
  EXPECT_TRUE(fitLevels({}, {}).empty());
}

TEST(LevelFitting, GivesAscendingLevelsThatDependOnTheSeedAlone) {
  const auto buckets = sketchOf(normals(20'000, 0.03, 4)).buckets();
  for (const unsigned count : {1U, 2U, 4U, 7U, 16U, 32U, 200U}) {
    const auto levels = fitLevels(buckets, {.levelCount = count});
    EXPECT_LE(levels.size(), count);
    EXPECT_GE(levels.size(), (count + 1) / 2);
    for (std::size_t i = 1; i < levels.size(); ++i) EXPECT_LT(levels[i - 1], levels[i]);
    EXPECT_EQ(levels, fitLevels(buckets, {.levelCount = count}));
  }
  EXPECT_NE(fitLevels(buckets, {.levelCount = 8}),
            fitLevels(buckets, {.levelCount = 8, .seed = 2}));
}

TEST(LevelFitting, DrawsNothingThatHasNoWeight) {
  // Zeros weigh nothing where magnitudes alone count.
  const std::vector<SketchBucket> buckets{{-1.0F, 1}, {0.0F, 1'000'000}, {1.0F, 1}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto levels =
        fitLevels(buckets, {.levelCount = 2, .countShare = 0, .seed = seed, .rounds = 0});
    EXPECT_EQ(levels, (std::vector<float>{-1.0F, 1.0F})) << seed;
  }
}

TEST(LevelFitting, FindsWellPartedClusters) {
  std::vector<float> values;
  for (const float centre : {-3.0F, -0.5F, 0.25F, 4.0F}) {
    for (const float v : normals(500, 0.001, 5)) values.push_back(centre + v);
  }
  const auto levels = fitLevels(sketchOf(values).buckets(), {.levelCount = 4});
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_NEAR(levels[0], -3.0F, 0.05F);
  EXPECT_NEAR(levels[1], -0.5F, 0.01F);
  EXPECT_NEAR(levels[2], 0.25F, 0.01F);
  EXPECT_NEAR(levels[3], 4.0F, 0.05F);
}

TEST(LevelFitting, BeatsUniformLevelsByCountsAlone) {
  const auto buckets = sketchOf(normals(100'000, 1, 6)).buckets();
  std::vector<float> uniform;
  const float low = buckets.front().value;
  const float high = buckets.back().value;
  for (int i = 0; i < 16; ++i) {
    uniform.push_back(low + (high - low) * (static_cast<float>(i) + 0.5F) / 16);
  }
  const auto fitted = fitLevels(buckets, {.levelCount = 16, .countShare = 1, .rounds = 50});
  EXPECT_LT(squaredError(buckets, fitted), 0.8 * squaredError(buckets, uniform));
}

TEST(LevelFitting, SpacesEvenLevelsFromTheLeastToTheLargest) {
  const std::vector<SketchBucket> buckets{{-2.0F, 7}, {0.5F, 1}, {6.0F, 3}};
  EXPECT_EQ(evenLevels(buckets, 5), (std::vector<float>{-2.0F, 0.0F, 2.0F, 4.0F, 6.0F}));
  EXPECT_EQ(evenLevels(std::span(buckets).first(1), 5), std::vector<float>{-2.0F});
  EXPECT_TRUE(evenLevels({}, 5).empty());
}

TEST(LevelFitting, PutsEdgesHalfWay) {
  EXPECT_EQ(levelEdges(std::vector<float>{-1.0F, 0.0F, 3.0F}), (std::vector<float>{-0.5F, 1.5F}));
  EXPECT_TRUE(levelEdges({}).empty());
  EXPECT_TRUE(levelEdges(std::vector<float>{2.0F}).empty());
}

}  // namespace
}  // namespace strata::test
