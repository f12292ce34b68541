// Tags that were moved or taken away on one side or on both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/fetch_remote.h"
#include "core/ops/remote_difference.h"
#include "core/ops/remove_remote_tag.h"
#include "core/ops/remove_remote_versions.h"
#include "core/ops/tags.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two stores that agree with a remote: base, sst2:v1, sst2:v2 (prod) and ner:v1.
class MovedTags : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    ours_ = makeFullStore("ours");
    ASSERT_TRUE(push(*ours_, remote_, {.keptAs = "hub"}));
    theirs_ = makeStore("theirs");
    ASSERT_TRUE(pull(*theirs_, remote_, {.keptAs = "hub"}));
  }

  PushReport pushed(const Store& store, bool forceTags = false) {
    auto report = push(store, remote_, {.forceTags = forceTags, .keptAs = "hub"});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PushReport{});
  }
  PullReport pulled(Store& store) {
    auto report = pull(store, remote_, {.keptAs = "hub"});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PullReport{});
  }
  static void move(Store& store, const std::string& reference, const std::string& tag = "prod") {
    ASSERT_TRUE(addTag(store, {.reference = reference, .tag = tag, .move = true}));
  }
  /// The number that a tag has on the remote; 0 where there is none.
  std::uint32_t numberThere(const std::string& tag) {
    const RemoteLibrary library = RemoteLibrary::from(remote_.readRefs({}).value());
    const TagRef* const found = library.tag("sst2", tag);
    return found == nullptr ? 0 : found->number;
  }
  Result<TagRef> takeOff(const Store& store, const std::string& reference) {
    return removeRemoteTag(store, remote_, {.reference = reference, .keptAs = "hub"}, {});
  }
  static std::uint64_t tagsToPush(const Store& store) {
    return remoteDifference(store, "hub").value()->tagsToPush;
  }

  std::unique_ptr<Store> ours_;
  std::unique_ptr<Store> theirs_;
};

TEST_F(MovedTags, GoWithAPushThatSaysSo) {
  EXPECT_THAT(pushed(*ours_).tags, IsEmpty());
  move(*ours_, "sst2:v1");
  move(*ours_, "sst2:v1", "next");
  EXPECT_EQ(tagsToPush(*ours_), 2U);
  const auto planned = push(*ours_, remote_, {.dryRun = true, .keptAs = "hub"});
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->tags.size(), 2U);
  EXPECT_EQ(numberThere("prod"), 2U);
  const PushReport report = pushed(*ours_);
  EXPECT_THAT(report.pushed, IsEmpty());
  ASSERT_EQ(report.tags.size(), 2U);
  EXPECT_EQ(report.tags[0].tag, "sst2:next");
  EXPECT_EQ(report.tags[0].from, "");
  EXPECT_EQ(report.tags[1].tag, "sst2:prod");
  EXPECT_EQ(report.tags[1].from, "sst2:v2");
  EXPECT_EQ(report.tags[1].to, "sst2:v1");
  EXPECT_EQ(numberThere("prod"), 1U);
  EXPECT_EQ(tagsToPush(*ours_), 0U);
  EXPECT_THAT(pushed(*ours_).tags, IsEmpty());
  // The other store gets it, moves it on, and this one gets that.
  EXPECT_EQ(pulled(*theirs_).tags.size(), 2U);
  move(*theirs_, "sst2:v2");
  EXPECT_EQ(pushed(*theirs_).tags.size(), 1U);
  EXPECT_THAT(pushed(*ours_).tagsMovedThere, ElementsAre("sst2:prod"));
  EXPECT_EQ(numberThere("prod"), 2U);
  EXPECT_EQ(pulled(*ours_).tags.size(), 1U);
  EXPECT_EQ(ours_->resolve("sst2:prod")->number, 2U);
}

TEST_F(MovedTags, OnBothSidesStayWhereTheyAre) {
  add(*ours_, "sst2", 61);
  ASSERT_NO_FATAL_FAILURE(static_cast<void>(pushed(*ours_)));
  move(*ours_, "sst2:v3");
  move(*theirs_, "sst2:v1");
  EXPECT_EQ(pushed(*ours_).tags.size(), 1U);
  const PushReport kept = pushed(*theirs_);
  EXPECT_THAT(kept.tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_THAT(kept.tags, IsEmpty());
  EXPECT_THAT(pushed(*theirs_).tagsElsewhere, ElementsAre("sst2:prod")) << "again";
  EXPECT_EQ(numberThere("prod"), 3U);
  EXPECT_EQ(pushed(*theirs_, true).tags.size(), 1U);
  EXPECT_EQ(numberThere("prod"), 1U);
  // A new version that the tag came to does not take it along either.
  add(*ours_, "sst2", 62, {"prod"});
  move(*theirs_, "sst2:v2");
  EXPECT_EQ(pushed(*theirs_).tags.size(), 1U);
  EXPECT_THAT(pushed(*ours_).tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_EQ(numberThere("prod"), 2U);
}

TEST_F(MovedTags, ComeWithTheNewVersionThatHasThem) {
  add(*ours_, "sst2", 61, {"prod", "fresh"});
  const PushReport report = pushed(*ours_);
  ASSERT_EQ(report.tags.size(), 1U) << "one that moved; the new one came with its version";
  EXPECT_EQ(report.tags[0].to, "sst2:v3");
  EXPECT_EQ(numberThere("prod"), 3U);
  EXPECT_EQ(numberThere("fresh"), 3U);
}

TEST_F(MovedTags, ThatAreTakenOffStayOff) {
  ASSERT_TRUE(removeTag(*ours_, "sst2:prod"));
  const PushReport told = pushed(*ours_);
  EXPECT_THAT(told.tagsRemovedHere, ElementsAre("sst2:prod"));
  EXPECT_EQ(numberThere("prod"), 2U) << "only who says so takes it off";
  const auto planned = removeRemoteTag(
      *ours_, remote_, {.reference = "sst2:prod", .dryRun = true, .keptAs = "hub"}, {});
  ASSERT_TRUE(planned);
  EXPECT_EQ(numberThere("prod"), 2U);
  const auto gone = takeOff(*ours_, "sst2:prod");
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_EQ(gone->number, 2U);
  EXPECT_EQ(numberThere("prod"), 0U);
  EXPECT_THAT(pushed(*ours_).tagsRemovedHere, IsEmpty());
  EXPECT_EQ(takeOff(*ours_, "sst2:prod").error().code, ErrorCode::NotFound);
  EXPECT_EQ(takeOff(*ours_, "sst2:v1").error().code, ErrorCode::InvalidArgument);
  // Others that have it still do not put it back, whatever else they exchange.
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(pulled(*theirs_).tags, IsEmpty());
    EXPECT_EQ(theirs_->resolve("sst2:prod")->number, 2U);
    EXPECT_THAT(pushed(*theirs_).tagsTakenThere, ElementsAre("sst2:prod"));
    EXPECT_EQ(numberThere("prod"), 0U);
  }
  EXPECT_EQ(tagsToPush(*theirs_), 0U);
  // Until they say so, or move it.
  EXPECT_EQ(pushed(*theirs_, true).tags.size(), 1U);
  EXPECT_EQ(numberThere("prod"), 2U);
  ASSERT_TRUE(takeOff(*theirs_, "sst2:prod"));
  move(*theirs_, "sst2:v1");
  EXPECT_EQ(tagsToPush(*theirs_), 1U);
  EXPECT_EQ(pushed(*theirs_).tags.size(), 1U);
  EXPECT_EQ(numberThere("prod"), 1U);
}

TEST_F(MovedTags, AreNotTakenOffByWhoDoesNotKnowWhereTheyAre) {
  move(*theirs_, "sst2:v1");
  ASSERT_NO_FATAL_FAILURE(static_cast<void>(pushed(*theirs_)));
  const auto refused = takeOff(*ours_, "sst2:prod");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("from v2 to v1; pull it first"));
  EXPECT_EQ(numberThere("prod"), 1U);
  ASSERT_NO_FATAL_FAILURE(static_cast<void>(pulled(*ours_)));
  EXPECT_TRUE(takeOff(*ours_, "sst2:prod"));
}

TEST_F(MovedTags, ComeBackWithVersionsThatWereTakenOff) {
  ASSERT_TRUE(
      removeRemoteVersions(*ours_, remote_, {.references = {"sst2:v2"}, .keptAs = "hub"}, {}));
  EXPECT_EQ(numberThere("prod"), 0U);
  ASSERT_EQ(pushed(*theirs_).pushed.size(), 1U);
  EXPECT_EQ(numberThere("prod"), 2U);
}

}  // namespace
}  // namespace strata::hub
