#include "core/archive/write/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

Change between(ElementType type, const std::vector<float>& parent,
               const std::vector<float>& words) {
  return measureChange(type, wordsOf(parent, type), wordsOf(words, type));
}

TEST(Change, CountsWordsAndMeasuresTheirDistance) {
  const std::vector<float> parent(5000, 2.0F);
  std::vector<float> words = parent;
  for (std::size_t i = 0; i < words.size(); i += 4) words[i] = 2.5F;
  for (const ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    const Change change = between(type, parent, words);
    EXPECT_EQ(change.words, 5000U);
    EXPECT_EQ(change.changedWords, 1250U);
    EXPECT_DOUBLE_EQ(change.changedShare(), 0.25);
    EXPECT_NEAR(change.relativeChange(), std::sqrt(0.25 * 0.25) / 2.0, 1e-4) << name(type);
  }
}

TEST(Change, IsNothingBetweenEqualWords) {
  const std::vector<float> words(100, 1.0F);
  const Change change = between(ElementType::F32, words, words);
  EXPECT_EQ(change.changedWords, 0U);
  EXPECT_EQ(change.relativeChange(), 0);
  EXPECT_EQ(Change{}.changedShare(), 0);
}

TEST(Change, LeavesOutValuesThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Change change = between(ElementType::F32, {1, infinity, 3}, {2, 1, std::nanf("")});
  EXPECT_EQ(change.changedWords, 3U);
  EXPECT_TRUE(std::isfinite(change.relativeChange()));
}

TEST(Change, CountsWhatStandsBesideValuesThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    for (const float odd : {infinity, -infinity, std::nanf("")}) {
      std::vector<float> parent(3000, 2.0F);
      std::vector<float> words(3000, 2.5F);
      words[17] = odd;
      parent[40] = odd;
      const Change change = between(type, parent, words);
      EXPECT_DOUBLE_EQ(change.differenceSquares, 2998 * 0.25) << name(type) << odd;
      EXPECT_DOUBLE_EQ(change.parentSquares, 2999 * 4.0) << name(type) << odd;
    }
  }
}

TEST(Change, MeasuresWhatIsTooLargeToBeSquaredInSinglePrecision) {
  const std::vector<float> parent(100, 1.0F);
  const std::vector<float> words(100, 2e25F);
  EXPECT_NEAR(between(ElementType::F32, parent, words).relativeChange(), 2e25, 1e19);
}

TEST(Change, LeavesOutFillValues) {
  const float lowest = std::numeric_limits<float>::lowest();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, float>> fills{
      {-1e9F, -infinity}, {-1e4F, -1e4F}, {-1e9F, -1e4F}, {lowest, lowest},
      {-1e4F, lowest},    {0, lowest},    {lowest, 0}};
  for (const auto& [before, after] : fills) {
    std::vector<float> parent(3000, 2.0F);
    std::vector<float> words(3000, 2.5F);
    parent[2100] = before;
    words[2100] = after;
    const Change change = between(ElementType::F32, parent, words);
    EXPECT_DOUBLE_EQ(change.differenceSquares, 2999 * 0.25) << before << " " << after;
    EXPECT_DOUBLE_EQ(change.parentSquares, 2999 * 4.0) << before << " " << after;
    EXPECT_EQ(change.leftOutWords, 1U);
    EXPECT_EQ(change.changedWords, before == after ? 2999U : 3000U);
  }
  // A weight that grew, or is large by itself on one side, is none.
  EXPECT_NEAR(between(ElementType::F32, {1, 3}, {1, 2e4F}).relativeChange(), 2e4 / std::sqrt(10),
              2);
  const Change halves = between(ElementType::F16, {-65504, 1}, {-65504, 2});
  EXPECT_EQ(halves.leftOutWords, 1U);
  EXPECT_DOUBLE_EQ(halves.relativeChange(), 1);
}

TEST(Change, OfIntegersHasNoSize) {
  const std::vector<std::uint32_t> parent{1, 2, 3, 4000000000};
  const std::vector<std::uint32_t> words{1, 2, 9, 4};
  for (const ElementType type : {ElementType::I32, ElementType::U32}) {
    const Change change =
        measureChange(type, std::as_bytes(std::span(parent)), std::as_bytes(std::span(words)));
    EXPECT_EQ(change.changedWords, 2U);
    EXPECT_EQ(change.leftOutWords, 4U);
    EXPECT_EQ(change.relativeChange(), 0);
    EXPECT_EQ(change.parentSquares, 0);
  }
}

TEST(Change, MeasuresEveryTypeThatHasValues) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values) out.push_back(static_cast<std::byte>(value));
    return out;
  };
  const auto parent = bytes({3, 4, 0});
  const auto words = bytes({3, 1, 4});
  EXPECT_EQ(measureChange(ElementType::I8, parent, words).changedWords, 2U);
  EXPECT_EQ(largestDifference({ElementType::I8, parent}, {ElementType::I8, words}), 4);
  EXPECT_EQ(largestDifference({ElementType::I8, bytes({0x80})}, {ElementType::I8, bytes({0x7F})}),
            255);
  // 1.0 and 1.5 as f8e4m3fn.
  EXPECT_DOUBLE_EQ(
      measureChange(ElementType::F8E4M3FN, bytes({0x38}), bytes({0x3C})).relativeChange(), 0.5);
  const Change opaque = measureChange(ElementType::Bytes, parent, words);
  EXPECT_EQ(opaque.changedWords, 2U);
  EXPECT_EQ(opaque.relativeChange(), 0);
}

TEST(Change, IsInfiniteIfOnlyTheParentIsZero) {
  EXPECT_TRUE(std::isinf(between(ElementType::F32, {0, 0}, {0, 1}).relativeChange()));
}

TEST(Change, TellsARoundingFromAnotherValue) {
  constexpr float kHuge = 1e6F;  // infinite in f16
  const auto wide = wordsOf({1, 1 + 1e-4F, 2, kHuge}, ElementType::F32);
  const auto narrow = wordsOf({1, 1, 3, kHuge}, ElementType::F16);
  const TypedWords a{ElementType::F32, wide};
  const TypedWords b{ElementType::F16, narrow};
  for (const Change& change : {measureChange(a, b), measureChange(b, a)}) {
    EXPECT_EQ(change.words, 4U);
    EXPECT_EQ(change.changedWords, 3U);
    EXPECT_EQ(change.roundedWords, 1U);
  }
  EXPECT_EQ(largestDifference(a, b), 1);
}

TEST(Change, ComparesDoublesByTheirValue) {
  const std::vector<double> doubles = {1, 1 + 1e-9, 2, std::nan(""), 1e200};
  const std::vector<float> floats = {1, 1, 3, std::nanf(""),
                                     std::numeric_limits<float>::infinity()};
  const TypedWords a{ElementType::F64, std::as_bytes(std::span(doubles))};
  const TypedWords b{ElementType::F32, std::as_bytes(std::span(floats))};
  for (const Change& change : {measureChange(a, b), measureChange(b, a)}) {
    EXPECT_EQ(change.words, 5U);
    EXPECT_EQ(change.changedWords, 3U);
    EXPECT_EQ(change.roundedWords, 1U);
  }
  EXPECT_NEAR(measureChange(b, a).relativeChange(), 1 / std::sqrt(11.0), 1e-6);
  EXPECT_TRUE(canCompare(ElementType::F64, ElementType::BF16));
  EXPECT_FALSE(canCompare(ElementType::F64, ElementType::I64));
}

TEST(Change, AddsUpOverParts) {
  Change sum = between(ElementType::F32, {3, 4}, {3, 5});
  sum.add(between(ElementType::F32, {12}, {12}));
  EXPECT_EQ(sum.words, 3U);
  EXPECT_EQ(sum.changedWords, 1U);
  EXPECT_NEAR(sum.relativeChange(), 1.0 / 13.0, 1e-6);
}

}  // namespace
}  // namespace strata::test
