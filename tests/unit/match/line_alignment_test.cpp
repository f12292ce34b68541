#include <gtest/gtest.h>

#include "core/match/matcher.h"
#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;

// Lines of the variant that have a parent, each checked to be coded against a like line.
std::uint64_t matchedWords(const SyntheticModel& variant, const SyntheticModel& parent) {
  const auto matches = matchOrFail(variant, parent);
  std::uint64_t words = 0;
  for (const PartMatch& part : matches[0].parts) {
    if (!part.parent) continue;
    words += part.rowCount * part.columnCount;
    EXPECT_LT(meanDifferenceBits(variant.description(), 0, part, parent.description()), 21);
  }
  return words;
}

TEST(LineAlignment, FindsRowsAfterAnInsertionInTheMiddle) {
  const Matrix base = gaussian(3000, 64, 1);
  const Matrix variant = stackedRows(
      {tuned(rowsOf(base, 0, 1234), 2), gaussian(10, 64, 3), tuned(rowsOf(base, 1234, 1766), 4)});
  const SyntheticModel model({weight("word.weight", variant)});
  const SyntheticModel parent({weight("word.weight", base)});
  const auto matches = matchOrFail(model, parent);
  ASSERT_EQ(matches[0].parts.size(), 3U);
  EXPECT_EQ(matches[0].parts[0].rowCount, 1234U);
  EXPECT_FALSE(matches[0].parts[1].parent);
  EXPECT_EQ(matches[0].parts[2].rowCount, 1766U);
  EXPECT_EQ(matchedWords(model, parent), 3000U * 64);
}

TEST(LineAlignment, FindsRowsAfterARemoval) {
  const Matrix base = gaussian(3000, 64, 1);
  const Matrix variant = stackedRows({rowsOf(base, 0, 700), rowsOf(base, 750, 2250)});
  EXPECT_EQ(matchedWords(SyntheticModel({weight("x", tuned(variant, 3))}),
                         SyntheticModel({weight("y", base)})),
            2950U * 64);
}

TEST(LineAlignment, FindsRowsBetweenSeveralEdits) {
  const Matrix base = gaussian(2000, 64, 1);
  const Matrix variant = stackedRows(
      {gaussian(3, 64, 90), rowsOf(base, 0, 400), gaussian(60, 64, 91), rowsOf(base, 400, 300),
       rowsOf(base, 800, 700), gaussian(20, 64, 92), rowsOf(base, 1500, 500)});
  EXPECT_EQ(matchedWords(SyntheticModel({weight("w", tuned(variant, 3))}),
                         SyntheticModel({weight("w", base)})),
            1900U * 64);
}

TEST(LineAlignment, SeesAnInsertionThatARemovalMakesUpFor) {
  const Matrix base = gaussian(2000, 64, 1);
  const Matrix variant = stackedRows({rowsOf(base, 0, 600), gaussian(40, 64, 90),
                                      rowsOf(base, 600, 900), rowsOf(base, 1540, 460)});
  EXPECT_EQ(matchedWords(SyntheticModel({weight("w", tuned(variant, 3))}),
                         SyntheticModel({weight("w", base)})),
            1960U * 64);
}

TEST(LineAlignment, KeepsARunAcrossRowsTrainedAnew) {
  const Matrix base = gaussian(1000, 64, 1);
  const Matrix variant = stackedRows({tuned(rowsOf(base, 0, 499), 2), gaussian(1, 64, 5),
                                      tuned(rowsOf(base, 500, 500), 3), gaussian(7, 64, 6)});
  const SyntheticModel model({weight("w", variant)});
  const auto matches = matchOrFail(model, SyntheticModel({weight("w", base)}));
  ASSERT_EQ(matches[0].parts.size(), 2U);
  EXPECT_EQ(matches[0].parts[0].rowCount, 1000U);
}

TEST(LineAlignment, FindsInsertedLinesOfTransposedWeights) {
  const Matrix base = gaussian(1500, 48, 1);
  const Matrix variant = stackedRows(
      {tuned(rowsOf(base, 0, 700), 2), gaussian(12, 48, 3), tuned(rowsOf(base, 700, 800), 4)});
  const SyntheticModel turnedParent({weight("head", transposed(base))});
  EXPECT_EQ(matchedWords(SyntheticModel({weight("word", variant)}), turnedParent), 1500U * 48);
  EXPECT_EQ(matchedWords(SyntheticModel({weight("word", transposed(variant))}), turnedParent),
            1500U * 48);
  EXPECT_EQ(matchedWords(SyntheticModel({weight("word", transposed(variant))}),
                         SyntheticModel({weight("head", base)})),
            1500U * 48);
}

TEST(LineAlignment, ReadsFewBlocks) {
  const Matrix base = gaussian(20'000, 256, 1);  // 78 blocks
  const Matrix variant = stackedRows(
      {tuned(rowsOf(base, 0, 7000), 2), gaussian(5, 256, 3), tuned(rowsOf(base, 7000, 13'000), 4)});
  const SyntheticModel model({weight("w", variant)});
  const SyntheticModel stored({weight("w", base)});
  const DescribedParent parent(stored.description());
  EXPECT_EQ(matchOrFail(model.description(), parent)[0].parts.size(), 3U);
  EXPECT_LE(parent.readCount(), 45U);
}

}  // namespace
}  // namespace strata
