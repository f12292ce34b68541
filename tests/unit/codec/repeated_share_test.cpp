#include "core/codec/words/repeated_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace strata {
namespace {

using std::numbers::pi;

template <typename Word>
double shareOf(const std::vector<Word>& words, ElementType type) {
  return repeatedShare({wordFormat(type), 1, words.size()}, std::as_bytes(std::span(words)));
}

std::vector<float> gaussian(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.05F);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<std::uint16_t> roundedTo16(const std::vector<float>& values) {
  std::vector<std::uint16_t> words;
  for (const float value : values) {
    words.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
  }
  return words;
}

TEST(RepeatedShare, IsNextToNothingOfRandomWeights) {
  const std::vector<float> values = gaussian(1 << 20, 1);
  EXPECT_LT(shareOf(values, ElementType::F32), 0.04);
  EXPECT_LT(shareOf(roundedTo16(values), ElementType::BF16), 0.02);
  std::mt19937 random(2);
  std::vector<std::int8_t> bytes(1 << 20);
  for (auto& byte : bytes) byte = static_cast<std::int8_t>(random() % 64);
  EXPECT_LT(shareOf(bytes, ElementType::I8), 0.02);
}

TEST(RepeatedShare, IsNextToNothingOfWeightsThatWereRoundedBefore) {
  std::vector<float> values = gaussian(1 << 19, 3);
  for (float& value : values) {
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFF0000U);
  }
  EXPECT_LT(shareOf(values, ElementType::F32), 0.04);
}

TEST(RepeatedShare, IsLargeOfTransforms) {
  std::vector<float> words;
  for (int k = 0; k < 201; ++k) {
    for (int t = 0; t < 400; ++t) {
      const double window = 0.5 - 0.5 * std::cos(2 * pi * t / 400);
      words.push_back(static_cast<float>(window * std::cos(2 * pi * k * t / 400)));
    }
  }
  EXPECT_GT(shareOf(words, ElementType::F32), 0.3);
}

TEST(RepeatedShare, IsLargeWhereRowsAreThereTwiceFarApart) {
  const std::vector<float> rows = gaussian(1 << 19, 4);
  std::vector<float> words = rows;
  words.insert(words.end(), rows.begin(), rows.end());
  EXPECT_GT(shareOf(words, ElementType::F32), 0.4);
  EXPECT_GT(shareOf(roundedTo16(words), ElementType::BF16), 0.4);
}

TEST(RepeatedShare, IsLargeWhereOneValueIsThereVeryOften) {
  std::vector<float> words = gaussian(1 << 18, 5);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i * 2'654'435'761U % 100 < 60) words[i] = 0;
  }
  EXPECT_GT(shareOf(words, ElementType::F32), 0.3);
}

TEST(RepeatedShare, IsNoneOfFewWords) {
  EXPECT_EQ(shareOf(std::vector<float>{}, ElementType::F32), 0);
  EXPECT_EQ(shareOf(std::vector<float>{1.5F}, ElementType::F32), 0);
  EXPECT_EQ(shareOf(std::vector<std::uint16_t>{1}, ElementType::BF16), 0);
}

}  // namespace
}  // namespace strata
