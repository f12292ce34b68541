// What remote gc leaves for versions that are here and not listed there.
#include "core/ops/versions/remove_versions.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// `ours_` has all versions; `theirs_` pulled them.
class HereAlone : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    theirs_ = makeStore("theirs");
    ASSERT_TRUE(pull(*theirs_, remote_, {.keptAs = "hub"}));
  }
  RemoteGarbageReport collectAs(const Store& store, bool dropUnlisted = false) {
    auto report = collectRemoteGarbage(
        store, remote_,
        {.dryRun = false, .graceSeconds = 0, .keptAs = "hub", .dropUnlisted = dropUnlisted}, {},
        {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoteGarbageReport{});
  }
  void takeOff(const Store& store, const std::string& reference) {
    ASSERT_TRUE(
        removeRemoteVersions(store, remote_, {.references = {reference}, .keptAs = "hub"}, {}));
  }
  /// As in a store that was copied without what it knows of remotes.
  static void forgetAll(const Store& store) {
    fs::remove_all(store.folder() / "remotes");
    fs::remove(store.folder() / "asked.json");
  }
  std::unique_ptr<Store> theirs_;
};

TEST_F(HereAlone, StaysWhereAListWasLostThatNobodyRemembers) {
  fs::remove(listFile(2));
  forgetAll(*ours_);
  const RemoteGarbageReport kept = collectAs(*ours_);
  EXPECT_LE(kept.freed.size(), 1U) << "signatures, which a push sends anew";
  EXPECT_THAT(kept.hereAlone, ElementsAre("ner:v1", "sst2:v1", "sst2:v2"));
  EXPECT_EQ(kept.hereAloneObjects, 6U);
  EXPECT_GT(kept.hereAloneBytes, 0U);
  EXPECT_EQ(sharedObjects(*ours_), 8U);
  ASSERT_TRUE(push(*ours_, remote_, kPush)) << "the advice works";
  EXPECT_THAT(collectAs(*ours_).hereAlone, IsEmpty());
  EXPECT_TRUE(verify().sound());
}

TEST_F(HereAlone, StaysWhereAnotherContentHasItsName) {
  fs::remove(listFile(2));
  const auto third = makeStore("third");
  importBase(*third);
  add(*third, "sst2", 60);
  ASSERT_TRUE(push(*third, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(push(*third, remote_, {.keptAs = "hub"}));
  forgetAll(*ours_);
  EXPECT_THAT(collectAs(*ours_).hereAlone, ElementsAre("ner:v1", "sst2:v1", "sst2:v2"));
  EXPECT_EQ(sharedObjects(*ours_), 8U);
}

TEST_F(HereAlone, GoesWhereThisStoreTookItOff) {
  takeOff(*ours_, "ner:v1");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  const RemoteGarbageReport freed = collectAs(*ours_);
  EXPECT_EQ(freed.freed.size(), 2U);
  EXPECT_THAT(freed.hereAlone, IsEmpty());
}

TEST_F(HereAlone, StaysAfterItWasPushedAgainAndOthersTookItOff) {
  takeOff(*ours_, "ner:v1");
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  ASSERT_TRUE(fetchRemote(*theirs_, remote_, "hub", {}));
  takeOff(*theirs_, "ner:v1");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_THAT(collectAs(*ours_).hereAlone, ElementsAre("ner:v1"));
  EXPECT_EQ(collectAs(*theirs_).freed.size(), 2U) << "who took it off may";
}

TEST_F(HereAlone, GoesWhereTheUserSaysSo) {
  takeOff(*theirs_, "ner:v1");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_THAT(collectAs(*ours_).freed, IsEmpty());
  const RemoteGarbageReport freed = collectAs(*ours_, true);
  EXPECT_EQ(freed.freed.size(), 2U);
  EXPECT_THAT(freed.hereAlone, IsEmpty());
}

TEST_F(HereAlone, GoesWhereItIsNotListedHereEither) {
  takeOff(*theirs_, "ner:v1");
  ASSERT_TRUE(removeVersions(*ours_, {.references = {"ner:v1"}}));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_EQ(collectAs(*ours_).freed.size(), 2U);
}

TEST_F(HereAlone, StaysWhereTheRemoteWasMadeAnew) {
  const auto third = makeStore("third");
  importBase(*third);
  add(*third, "third", 60);
  fs::remove_all(folder_ / "remote" / "refs");
  fs::create_directories(folder_ / "remote" / "refs");
  ASSERT_TRUE(push(*third, remote_, {.create = true, .keptAs = "hub"}));
  forgetAll(*ours_);
  EXPECT_THAT(collectAs(*ours_).hereAlone, ElementsAre("ner:v1", "sst2:v1", "sst2:v2"));
  EXPECT_EQ(sharedObjects(*ours_), 8U);
}

}  // namespace
}  // namespace strata::hub
