#include "core/archive/write/part_copies.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

/// A weight of two parts, a copy of it, and a weight of its own.
class KeptOriginalsTest : public testing::Test {
 protected:
  KeptOriginalsTest() {
    for (const std::uint64_t offset : {0U, 16U, 32U}) {
      TensorInfo tensor;
      tensor.offset = offset;
      tensor.byteCount = 16;
      model_.tensors.push_back(tensor);
    }
    plan_.parts = {part(0, 0), part(0, 2), part(1, 0), part(2, 0)};
    plan_.parts[2].isIdentical = true;
    plan_.parts[2].view = PartView{};
    plan_.parts[2].view->own = true;
  }

  static PartPlan part(std::uint32_t tensor, std::uint64_t firstRow) {
    PartPlan plan;
    plan.tensor = tensor;
    plan.layout = {firstRow, 2, 0, 1};
    return plan;
  }

  ModelDescription model_;
  ModelPlan plan_;
  const std::vector<std::byte> first_ = std::vector(8, std::byte{1});
  const std::vector<std::byte> second_ = std::vector(8, std::byte{2});
};

TEST_F(KeptOriginalsTest, HaveWhatACopyNeedsAndNothingElse) {
  KeptOriginals kept(model_, plan_, 1000);
  kept.keep(plan_.parts[0], first_);
  kept.keep(plan_.parts[1], second_);
  kept.keep(plan_.parts[3], first_);
  ASSERT_NE(kept.find(plan_.parts[0]), nullptr);
  EXPECT_EQ(*kept.find(plan_.parts[0]), first_);
  ASSERT_NE(kept.find(plan_.parts[1]), nullptr);
  EXPECT_EQ(*kept.find(plan_.parts[1]), second_);
  EXPECT_EQ(kept.find(plan_.parts[3]), nullptr) << "nothing is a copy of it";
}

TEST_F(KeptOriginalsTest, TakeNoMoreThanTheirRoom) {
  KeptOriginals kept(model_, plan_, 15);
  kept.keep(plan_.parts[0], first_);
  kept.keep(plan_.parts[1], second_);
  EXPECT_NE(kept.find(plan_.parts[0]), nullptr);
  EXPECT_EQ(kept.find(plan_.parts[1]), nullptr);
}

}  // namespace
}  // namespace strata
