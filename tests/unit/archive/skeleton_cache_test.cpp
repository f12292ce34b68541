#include "core/archive/read/skeleton_cache.h"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

/// Counts how often skeletons are decoded.
struct Decodes {
  int count = 0;

  auto of(std::size_t byteCount) {
    return [this, byteCount]() -> Result<std::vector<std::byte>> {
      ++count;
      return std::vector<std::byte>(byteCount, std::byte{7});
    };
  }
};

TEST(SkeletonCache, DecodesASkeletonOnce) {
  SkeletonCache cache(100);
  Decodes decodes;
  for (int i = 0; i < 3; ++i) {
    const auto skeleton = cache.get(4, decodes.of(40));
    ASSERT_TRUE(skeleton);
    EXPECT_EQ((*skeleton)->size(), 40U);
  }
  EXPECT_EQ(decodes.count, 1);
}

TEST(SkeletonCache, HoldsNoMoreBytesThanItMay) {
  SkeletonCache cache(100);
  Decodes decodes;
  for (const std::size_t file : {0, 1, 0, 2}) ASSERT_TRUE(cache.get(file, decodes.of(40)));
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_EQ(cache.find(1), nullptr) << "the oldest";
  EXPECT_NE(cache.find(2), nullptr);
}

TEST(SkeletonCache, HoldsOneThatIsLargerThanAllMayBe) {
  SkeletonCache cache(100);
  Decodes decodes;
  ASSERT_TRUE(cache.get(0, decodes.of(40)));
  ASSERT_TRUE(cache.get(1, decodes.of(400)));
  ASSERT_TRUE(cache.get(1, decodes.of(400)));
  EXPECT_EQ(decodes.count, 2);
  EXPECT_EQ(cache.find(0), nullptr);
}

TEST(SkeletonCache, KeepsNoError) {
  SkeletonCache cache(100);
  const auto failing = []() -> Result<std::vector<std::byte>> {
    return fail(ErrorCode::CorruptData, "skeleton is damaged");
  };
  EXPECT_FALSE(cache.get(0, failing));
  Decodes decodes;
  EXPECT_TRUE(cache.get(0, decodes.of(1)));
}

}  // namespace
}  // namespace strata::test
