#include "core/archive/read/range_walk.h"

#include <gtest/gtest.h>

#include <vector>

namespace strata {
namespace {

/// A file of 8 bytes of skeleton, a matrix of 6 x 4 floats, an empty stretch, 2 bytes of skeleton
/// and a vector of 3 floats. The matrix is a part of two rows, then two parts side by side.
class RangeWalkTest : public testing::Test {
 protected:
  RangeWalkTest() {
    ManifestTensor matrix;
    matrix.type = ElementType::F32;
    matrix.shape = {6, 4};
    matrix.parts.resize(3);
    matrix.parts[0].rowCount = 2;
    matrix.parts[1].columnCount = 1;
    matrix.parts[2].firstColumn = 1;
    ManifestTensor vector;
    vector.type = ElementType::F32;
    vector.shape = {3};
    vector.parts.resize(1);
    stored_ = {matrix, vector};
    tensors_ = StoredTensors::make(stored_).value();
    segments_ = {{0, 8, std::nullopt, 0},
                 {8, 96, 0, 0},
                 {104, 0, 1, 0},
                 {104, 2, std::nullopt, 8},
                 {106, 12, 1, 0}};
  }

  std::vector<Stretch> walk(std::uint64_t offset, std::uint64_t byteCount) {
    std::vector<Stretch> out;
    RangeWalk walk(segments_, tensors_, offset, byteCount);
    while (const auto stretch = walk.next()) out.push_back(*stretch);
    return out;
  }

  TensorList stored_;
  StoredTensors tensors_;
  std::vector<Segment> segments_;
};

TEST_F(RangeWalkTest, GoesThroughSkeletonsPartsAndBands) {
  const auto all = walk(0, 118);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_FALSE(all[0].tensor);
  EXPECT_EQ(all[0].byteCount, 8U);
  EXPECT_EQ(all[1].tensor, 0U);
  EXPECT_FALSE(all[1].isBand());
  EXPECT_EQ(all[1].byteCount, 32U);
  EXPECT_TRUE(all[2].isBand());
  EXPECT_EQ(all[2].firstPart, 1U);
  EXPECT_EQ(all[2].offset, 32U);
  EXPECT_EQ(all[2].byteCount, 64U);
  EXPECT_FALSE(all[3].tensor);
  EXPECT_EQ(all[3].offset, 8U);
  EXPECT_EQ(all[4].tensor, 1U);
  EXPECT_EQ(all[4].byteCount, 12U);
}

TEST_F(RangeWalkTest, BeginsAndEndsWhereTheRangeDoes) {
  for (std::uint64_t from = 0; from <= 118; ++from) {
    for (std::uint64_t to = from; to <= 118; ++to) {
      std::uint64_t sum = 0;
      for (const Stretch& stretch : walk(from, to - from)) {
        EXPECT_GT(stretch.byteCount, 0U);
        sum += stretch.byteCount;
      }
      ASSERT_EQ(sum, to - from) << from << " to " << to;
    }
  }
  const auto inside = walk(8 + 20, 30);
  ASSERT_EQ(inside.size(), 2U);
  EXPECT_EQ(inside[0].offset, 20U);
  EXPECT_EQ(inside[0].byteCount, 12U);
  EXPECT_EQ(inside[1].offset, 32U);
  EXPECT_EQ(inside[1].byteCount, 18U);
}

}  // namespace
}  // namespace strata
