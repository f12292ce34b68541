#include "core/archive/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
    EXPECT_FLOAT_EQ(change.changedShare(), 0.25F);
    EXPECT_NEAR(change.relativeChange(), std::sqrt(0.25 * 0.25) / 2.0, 1e-4) << name(type);
  }
}

TEST(Change, IsNothingBetweenEqualWords) {
  const std::vector<float> words(100, 1.0F);
  const Change change = between(ElementType::F32, words, words);
  EXPECT_EQ(change.changedWords, 0U);
  EXPECT_EQ(change.relativeChange(), 0.0F);
  EXPECT_EQ(Change{}.changedShare(), 0.0F);
}

TEST(Change, LeavesOutValuesThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Change change = between(ElementType::F32, {1, infinity, 3}, {2, 1, std::nanf("")});
  EXPECT_EQ(change.changedWords, 3U);
  EXPECT_TRUE(std::isfinite(change.relativeChange()));
}

TEST(Change, CountsIntegersWithoutADistance) {
  const PartSample sample =
      makeSample({wordFormat(ElementType::I64), 1, 500}, Content::FineTuned, 1);
  const Change change = measureChange(ElementType::I64, sample.parent, sample.words);
  EXPECT_EQ(change.changedWords, 500U);
  EXPECT_EQ(change.relativeChange(), 0.0F);
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
