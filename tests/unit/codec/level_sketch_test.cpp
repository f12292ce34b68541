#include "core/codec/lossy/level_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

LevelSketch sketchOf(const std::vector<float>& values) {
  LevelSketch sketch;
  sketch.add(values);
  return sketch;
}

TEST(LevelSketch, KeepsEveryValueWithinOnePercent) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto bits = static_cast<std::uint32_t>(random());
    const auto value = std::bit_cast<float>(bits);
    if (!std::isnormal(value)) continue;
    const auto buckets = sketchOf({value}).buckets();
    ASSERT_EQ(buckets.size(), 1U);
    ASSERT_EQ(buckets[0].count, 1U);
    ASSERT_LE(std::abs(double{buckets[0].value} - value), 0.010001 * std::abs(double{value}))
        << value;
  }
}

TEST(LevelSketch, PutsEdgesIntoTheLowerBucket) {
  // 1 is gamma^0: the top of its bucket; the next float begins another.
  const auto buckets = sketchOf({1.0F, std::nextafter(1.0F, 2.0F), -1.0F}).buckets();
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_LT(buckets[0].value, 0.0F);
  EXPECT_LT(buckets[1].value, 1.0F);
  EXPECT_GT(buckets[2].value, 1.0F);
  EXPECT_EQ(buckets[1].value, -buckets[0].value);
}

TEST(LevelSketch, CountsZerosApartAndSubnormalsWithThem) {
  const auto buckets = sketchOf({0.0F, -0.0F, 1e-40F, -1e-45F, 2.0F, -3.0F}).buckets();
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[1].value, 0.0F);
  EXPECT_EQ(buckets[1].count, 4U);
}

TEST(LevelSketch, KeepsWhatIsNoNumberOut) {
  const LevelSketch sketch = sketchOf({kInfinity, -kInfinity, std::nanf(""), 1.0F, 2.0F});
  EXPECT_EQ(sketch.nonFiniteCount(), 3U);
  EXPECT_EQ(sketch.count(), 2U);
  EXPECT_EQ(sketch.buckets().size(), 2U);
}

TEST(LevelSketch, TakesTheLargestAndTheSmallestNormalFloat) {
  const float most = std::numeric_limits<float>::max();
  const float least = std::numeric_limits<float>::min();
  const auto buckets = sketchOf({most, -most, least, -least}).buckets();
  ASSERT_EQ(buckets.size(), 4U);
  for (const SketchBucket& b : buckets) EXPECT_TRUE(std::isnormal(b.value));
}

TEST(LevelSketch, AddsUpFromShards) {
  const auto values = normals(10'001, 0.1, 2);
  const std::span<const float> all(values);
  LevelSketch shards;
  LevelSketch second;
  shards.add(all.first(3333));
  second.add(all.subspan(3333));
  shards.add(second);
  const auto whole = sketchOf(values).buckets();
  const auto merged = shards.buckets();
  ASSERT_EQ(whole.size(), merged.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].value, merged[i].value);
    EXPECT_EQ(whole[i].count, merged[i].count);
  }
}

TEST(LevelSketch, FindsQuantilesOfMagnitudesWithinOnePercent) {
  auto values = normals(50'000, 0.05, 3);
  const LevelSketch sketch = sketchOf(values);
  for (float& v : values) v = std::abs(v);
  std::sort(values.begin(), values.end());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.999}) {
    const double exact = values[static_cast<std::size_t>(share * 50'000) - 1];
    EXPECT_NEAR(sketch.magnitudeAt(share), exact, 0.0101 * exact) << share;
  }
  EXPECT_EQ(sketch.magnitudeAt(0), 0.0F);
}

TEST(LevelSketch, FindsZeroAsAQuantileOfZeros) {
  const LevelSketch sketch = sketchOf({0.0F, 0.0F, 0.0F, 1.0F});
  EXPECT_EQ(sketch.magnitudeAt(0.75), 0.0F);
  EXPECT_NEAR(sketch.magnitudeAt(1), 1.0F, 0.01F);
  EXPECT_EQ(LevelSketch{}.magnitudeAt(1), 0.0F);
}

}  // namespace
}  // namespace strata::test
