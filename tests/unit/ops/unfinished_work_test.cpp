#include <gtest/gtest.h>

#include "core/ops/versions/remove_versions.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::MissingRef;
using Labels = std::vector<std::string>;

/// What writers leave that are killed is no damage, before and after it is settled.
class UnfinishedWork : public MissingRef {};

TEST_F(UnfinishedWork, OfAnAddIsNoDamage) {
  VersionRef next = store().refs().readVersion("sst2", 1).value();
  next.number = 2;
  ASSERT_TRUE(store().refs().writeNewVersion(next));
  ASSERT_TRUE(store().refs().writeTag({"sst2", "new", 2, {}, 0}));
  EXPECT_FALSE(verify().sound()) << "nobody is at work";
  leaveMark();
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.unfinished, (Labels{"sst2:v2", "sst2:new"}));
  settle();
  EXPECT_TRUE(verify().unfinished.empty());
  EXPECT_EQ(store().resolve("sst2:new")->label(), "sst2:v2");
}

TEST_F(UnfinishedWork, OfADeletionIsFinished) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  const std::size_t objects = objectCount();
  const VersionRef leaving = store().refs().readVersion("sst2", 1, Place::Trash).value();
  ASSERT_TRUE(keepNumbers(store().refs(), "sst2", 1, {{1, leaving.contentDigest}}));
  ASSERT_TRUE(store().refs().markGoing("sst2", 1));
  leaveMark();
  EXPECT_EQ(verify().unfinished, Labels{"sst2:v1"});
  EXPECT_TRUE(verify().sound());
  settle();
  EXPECT_TRUE(store().refs().goingNumbers()->empty());
  EXPECT_TRUE(store().catalog().versions(Place::Trash)->empty());
  EXPECT_LT(objectCount(), objects);
  EXPECT_TRUE(collect()->freed.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("base", *base_));
}

TEST_F(UnfinishedWork, OfAWriterWhoseLockWasRemovedIsNoDamage) {
  const auto writer = store().lock("test");
  ASSERT_TRUE(writer);
  fs::remove(storeFolder() / "lock");
  VersionRef next = store().refs().readVersion("sst2", 1).value();
  next.number = 2;
  ASSERT_TRUE(store().refs().writeNewVersion(next));
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.unfinished, Labels{"sst2:v2"});
}

TEST_F(UnfinishedWork, DoesNotHideWhatIsLost) {
  loseRef("base");
  leaveMark();
  EXPECT_EQ(verify().damagedVersions, Labels{"base:v1"});
}

}  // namespace
}  // namespace strata
