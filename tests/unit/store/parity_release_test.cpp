// Objects that are deleted, and the parity of the others of their groups.
#include "tests/unit/store/parity_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::FullDisk;
using test::Parity;

TEST_F(Parity, AnObjectThatLeavesKeepsTheOthersProtected) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  auto one = grouping();
  const auto release = one.release({all[1], all[4]});
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_EQ(release->size(), 2U);
  for (const Digest& digest : *release) ASSERT_TRUE(objects_.remove(digest));
  fs::remove(objects_.pathOf(all[0]));
  fs::remove(objects_.pathOf(all[10 - 1]));
  EXPECT_EQ(rebuild({all[0], all[9]}).objects.size(), 2U);
}

/// The parity that brings one back must not go with another.
TEST_F(Parity, AnObjectLeavesThoughAnotherIsLost) {
  const std::vector<Digest> all = addSome(5);
  computeAnew();
  fs::remove(objects_.pathOf(all[2]));
  auto one = grouping();
  const auto release = one.release({all[0]});
  ASSERT_TRUE(release);
  ASSERT_EQ(release->size(), 1U);
  ASSERT_TRUE(objects_.remove(all[0]));
  EXPECT_EQ(rebuild({all[2]}).objects.size(), 1U);
}

TEST_F(Parity, AnObjectStaysThatBringsAnotherBack) {
  const std::vector<Digest> all = addSome(5);
  computeAnew();
  fs::remove(objects_.pathOf(all[2]));
  flip(shardFiles().front(), 300);
  auto one = grouping();
  const auto release = one.release({all[0]});
  ASSERT_TRUE(release);
  EXPECT_TRUE(release->empty());
  EXPECT_EQ(rebuild({all[2]}).objects.size(), 1U);
}

/// Where more go than stay, the cheaper way is to read what stays. It is barred here.
TEST_F(Parity, ManyLeaveThoughAnotherIsLost) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  fs::remove(objects_.pathOf(all[2]));
  const std::vector<Digest> leaving{all[0], all[1], all[3], all[4], all[5], all[6]};
  auto one = grouping();
  const auto free = one.release(leaving);
  ASSERT_TRUE(free);
  ASSERT_EQ(*free, leaving);
  for (const Digest& digest : leaving) ASSERT_TRUE(objects_.remove(digest));
  EXPECT_EQ(rebuild({all[2]}).objects.size(), 1U);
}

TEST_F(Parity, AnObjectLeavesWhereNothingCanBeBroughtBack) {
  const std::vector<Digest> all = addSome(5);
  computeAnew();
  for (const int lost : {1, 2, 3}) fs::remove(objects_.pathOf(all[lost]));
  auto one = grouping();
  const auto free = one.release({all[0]});
  ASSERT_TRUE(free);
  EXPECT_EQ(free->size(), 1U);
}

/// Deleting needs no space, also where the parity of what stays finds none.
TEST_F(Parity, AnObjectLeavesAFullDisk) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  auto one = grouping();
  {
    const FullDisk full(1000);
    const auto free = one.release({all[4]});
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_EQ(free->size(), 1U);
  }
  EXPECT_TRUE(ParityFolder(place_.path()).behind());
  ASSERT_TRUE(objects_.remove(all[4]));
  ASSERT_TRUE(one.settle());
  EXPECT_FALSE(ParityFolder(place_.path()).behind());
  EXPECT_EQ(state().protectedObjects, 9U);
}

TEST_F(Parity, OnAFullDiskAnObjectStaysThatBringsAnotherBack) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  fs::remove(objects_.pathOf(all[7]));
  {
    const FullDisk full(1000);
    auto one = grouping();
    const auto free = one.release({all[4]});
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(free->empty());
  }
  EXPECT_EQ(rebuild({all[7]}).objects.size(), 1U);
}

}  // namespace
}  // namespace strata
