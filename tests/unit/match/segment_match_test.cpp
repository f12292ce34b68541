#include <gtest/gtest.h>

#include "core/match/matcher.h"
#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;

struct Expected {
  std::uint64_t rowCount, firstColumn, columnCount;
  std::optional<std::size_t> parent;
};

void expectParts(const SyntheticModel& variant, const SyntheticModel& parent,
                 const std::vector<Expected>& expected, std::size_t tensor = 0) {
  const auto matches = matchOrFail(variant, parent);
  const TensorMatch& match = matches[tensor];
  ASSERT_EQ(match.parts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const PartMatch& part = match.parts[i];
    EXPECT_EQ(part.rowCount, expected[i].rowCount) << i;
    EXPECT_EQ(part.firstColumn, expected[i].firstColumn) << i;
    EXPECT_EQ(part.columnCount, expected[i].columnCount) << i;
    ASSERT_EQ(part.parent.has_value(), expected[i].parent.has_value()) << i;
    if (!part.parent) continue;
    EXPECT_EQ(part.parent->tensor, *expected[i].parent) << i;
    EXPECT_LT(meanDifferenceBits(variant.description(), tensor, part, parent.description()), 22)
        << i;
  }
}

TEST(SegmentMatch, TakesTheCommonRowsOfAGrownVocabulary) {
  const Matrix base = gaussian(1000, 64, 1);
  const Matrix grown = stackedRows({tuned(base, 2), gaussian(24, 64, 3)});
  expectParts(SyntheticModel({weight("bert.word.weight", grown)}),
              SyntheticModel({weight("other", gaussian(64, 64, 9)), weight("word.weight", base)}),
              {{1000, 0, 64, 1}, {24, 0, 64, {}}});
}

TEST(SegmentMatch, TakesTheLeftRowsOfAShrunkVocabulary) {
  const Matrix base = gaussian(1000, 64, 1);
  expectParts(SyntheticModel({weight("word.weight", tuned(rowsOf(base, 0, 900), 2))}),
              SyntheticModel({weight("word.weight", base)}), {{900, 0, 64, 0}});
}

TEST(SegmentMatch, TakesTheCommonColumnsOfAGrownTransposedHead) {
  const Matrix base = gaussian(600, 96, 1);
  const Matrix grown = stackedRows({tuned(base, 2), gaussian(40, 96, 3)});
  expectParts(SyntheticModel({weight("onnx::MatMul_9", transposed(grown))}),
              SyntheticModel({weight("head.weight", base)}), {{96, 0, 600, 0}, {96, 600, 40, {}}});
}

TEST(SegmentMatch, TakesTheCommonRowsOfASmallClassifier) {
  const Matrix base = gaussian(5, 384, 1);
  expectParts(SyntheticModel({weight("head", stackedRows({tuned(base, 2), gaussian(2, 384, 3)}))}),
              SyntheticModel({weight("head", base)}), {{5, 0, 384, 0}, {2, 0, 384, {}}});
}

TEST(SegmentMatch, TakesTheCommonRowsOfASmallRenamedHead) {
  const Matrix base = gaussian(10, 64, 1);
  const Matrix grown = stackedRows({tuned(base, 2), gaussian(2, 64, 3)});
  expectParts(SyntheticModel({weight("classifier.projection", grown)}),
              SyntheticModel({weight("b", gaussian(10, 64, 4)), weight("score", base)}),
              {{10, 0, 64, 1}, {2, 0, 64, {}}});
}

TEST(SegmentMatch, BelievesFewWordsElsewhereOnlyIfTheyAreNearlyTheSame) {
  const Matrix head = gaussian(2, 384, 1);
  const Matrix bias{1, 2, {0.003F, -0.004F}};
  const SyntheticModel parent({weight("head.weight", head), vectorWeight("head.bias", bias)});
  const Matrix grown = stackedRows({tuned(head, 2), gaussian(2, 384, 3)});
  // The new classes' biases happen to be nearer to the old ones than those that training moved.
  const SyntheticModel moved(
      {weight("head.weight", grown),
       vectorWeight("head.bias", {1, 4, {0.011F, -0.013F, 0.0031F, -0.0041F}})});
  for (const PartMatch& part : matchOrFail(moved, parent)[1].parts) {
    EXPECT_TRUE(!part.parent || part.firstColumn == 0) << part.firstColumn;
  }
  const SyntheticModel inserted(
      {weight("head.weight", grown),
       vectorWeight("head.bias", {1, 4, {0.011F, -0.013F, 0.003F, -0.004F}})});
  expectParts(inserted, parent, {{1, 0, 2, {}}, {1, 2, 2, 1}}, 1);
}

/// Rows of a matrix with all words of each of `slices`, as a weight of three dimensions has them.
Matrix stackOf(const std::vector<Matrix>& slices) {
  Matrix stack{slices.size(), slices[0].rows * slices[0].columns, {}};
  for (const Matrix& slice : slices) {
    stack.values.insert(stack.values.end(), slice.values.begin(), slice.values.end());
  }
  return stack;
}

class Stacked : public testing::Test {
 protected:
  Matrix a_ = gaussian(64, 48, 1);
  Matrix b_ = gaussian(64, 48, 2);
  Matrix c_ = gaussian(64, 48, 3);
  SyntheticModel single_{{weight("x.0.up", a_), weight("x.1.up", b_), weight("x.2.up", c_)}};
};

TEST_F(Stacked, IsFoundInSingleMatrices) {
  const Matrix stack = tuned(stackOf({c_, a_, gaussian(64, 48, 9), b_}), 5);
  expectParts(SyntheticModel({weight("e.up", stack)}), single_,
              {{1, 0, 3072, 2}, {1, 0, 3072, 0}, {1, 0, 3072, {}}, {1, 0, 3072, 1}});
}

TEST_F(Stacked, LendsItsSlices) {
  const SyntheticModel parent({weight("e.up", stackOf({c_, a_, b_}))});
  const SyntheticModel variant({weight("x.0", tuned(a_, 5)), weight("x.1", transposed(b_))});
  expectParts(variant, parent, {{64, 0, 48, 0}}, 0);
  expectParts(variant, parent, {{48, 0, 64, 0}}, 1);
}

class Merged : public testing::Test {
 protected:
  Matrix q_ = gaussian(96, 96, 1);
  Matrix k_ = gaussian(96, 96, 2);
  Matrix v_ = gaussian(96, 96, 3);
  SyntheticModel parts_{{weight("self.v", v_), weight("self.k", k_), weight("self.q", q_)}};
};

TEST_F(Merged, IsSplitByRows) {
  const Matrix merged = tuned(stackedRows({q_, k_, v_}), 5);
  expectParts(SyntheticModel({weight("self.qkv", merged)}), parts_,
              {{96, 0, 96, 2}, {96, 0, 96, 1}, {96, 0, 96, 0}});
}

TEST_F(Merged, IsSplitByColumnsOfTransposedParts) {
  const Matrix merged = tuned(transposed(stackedRows({q_, k_, v_})), 5);
  expectParts(SyntheticModel({weight("onnx::MatMul_3", merged)}), parts_,
              {{96, 0, 96, 2}, {96, 96, 96, 1}, {96, 192, 96, 0}});
}

TEST_F(Merged, KeepsThePartsThatAreKnownAroundANewOne) {
  const Matrix merged = stackedRows({tuned(q_, 7), gaussian(96, 96, 70), tuned(v_, 8)});
  expectParts(SyntheticModel({weight("self.qkv", merged)}), parts_,
              {{96, 0, 96, 2}, {96, 0, 96, {}}, {96, 0, 96, 0}});
}

TEST_F(Merged, ServesSlicesByRowsAndColumns) {
  const SyntheticModel byRows({weight("qkv", stackedRows({q_, k_, v_}))});
  const SyntheticModel byColumns({weight("qkv", besideColumns({q_, k_, v_}))});
  const SyntheticModel turned({weight("qkv", transposed(stackedRows({q_, k_, v_})))});
  const SyntheticModel variant(
      {weight("self.k", tuned(k_, 1)), weight("self.q", tuned(q_, 2)), weight("x", tuned(v_, 3))});
  for (const SyntheticModel* parent : {&byRows, &byColumns, &turned}) {
    for (std::size_t tensor = 0; tensor < 3; ++tensor) {
      expectParts(variant, *parent, {{96, 0, 96, 0}}, tensor);
    }
  }
}

TEST_F(Merged, MaySharesOfUnequalSize) {
  const Matrix few = gaussian(24, 96, 4);
  const Matrix fewToo = gaussian(24, 96, 5);
  const SyntheticModel grouped({weight("q", q_), weight("k", few), weight("v", fewToo)});
  const Matrix merged = stackedRows({q_, few, fewToo});
  expectParts(SyntheticModel({weight("qkv", tuned(merged, 1))}), grouped,
              {{96, 0, 96, 0}, {24, 0, 96, 1}, {24, 0, 96, 2}});
  const SyntheticModel parent({weight("qkv", merged)});
  const SyntheticModel split({weight("k", tuned(few, 1)), weight("q", tuned(q_, 2))});
  expectParts(split, parent, {{24, 0, 96, 0}}, 0);
  expectParts(split, parent, {{96, 0, 96, 0}}, 1);
}

TEST(SegmentMatch, SplitsMergedBiases) {
  const Matrix q = gaussian(1, 512, 1);
  const Matrix k = gaussian(1, 512, 2);
  const SyntheticModel parent({vectorWeight("q.bias", q), vectorWeight("k.bias", k)});
  const Matrix merged = tuned(besideColumns({q, k}), 3);
  expectParts(SyntheticModel({vectorWeight("qk.bias", merged)}), parent,
              {{1, 0, 512, 0}, {1, 512, 512, 1}});
}

TEST(SegmentMatch, LeavesUnrelatedWeightsOfLikeShapesAlone) {
  const SyntheticModel parent({weight("a", gaussian(500, 64, 1)), weight("b", gaussian(64, 64, 2)),
                               weight("c", gaussian(128, 500, 3))});
  const SyntheticModel variant({weight("a", gaussian(520, 64, 11)),
                                weight("n", gaussian(64, 128, 12)),
                                weight("m", gaussian(500, 32, 13))});
  for (const TensorMatch& match : matchOrFail(variant, parent)) {
    ASSERT_EQ(match.parts.size(), 1U);
    EXPECT_FALSE(match.parts[0].parent);
  }
}

}  // namespace
}  // namespace strata
