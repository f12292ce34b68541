// Tags that were moved or taken away on one side or on both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <tuple>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/exchange/remove_remote_tag.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/versions/tags.h"
#include "hub/generation.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/forwarding_transport.h"

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

  PushReport pushed(Store& store, bool forceTags = false) {
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

/// Here and there, at once: what comes back is a new tag, also where it was before.
TEST_F(MovedTags, ComeAgainWhereTheyWereTakenOffOnBothSides) {
  ASSERT_TRUE(removeTag(*ours_, "sst2:prod"));
  ASSERT_TRUE(takeOff(*ours_, "sst2:prod"));
  static_cast<void>(pulled(*theirs_));
  EXPECT_EQ(pushed(*theirs_, true).tags.size(), 1U);
  const PullReport again = pulled(*ours_);
  EXPECT_EQ(again.tags.size(), 1U);
  EXPECT_EQ(ours_->resolve("sst2:prod")->number, 2U);
  EXPECT_THAT(pushed(*ours_).tagsRemovedHere, IsEmpty());
}

/// Two machines that go on with one run both give it to a snapshot of theirs.
TEST_F(MovedTags, OfSnapshotsAreEachMachinesOwn) {
  move(*ours_, "sst2:v1", "step-9");
  move(*theirs_, "sst2:v2", "step-9");
  static_cast<void>(pushed(*ours_));
  for (int i = 0; i < 2; ++i) {
    const PullReport brought = pulled(*theirs_);
    EXPECT_THAT(brought.tagsElsewhere, IsEmpty());
    EXPECT_THAT(brought.tagsOfOtherSnapshots, ElementsAre("sst2:step-9"));
    const PushReport sent = pushed(*theirs_);
    EXPECT_THAT(sent.tagsElsewhere, IsEmpty());
    EXPECT_THAT(sent.tagsOfOtherSnapshots, ElementsAre("sst2:step-9"));
  }
  EXPECT_EQ(theirs_->resolve("sst2:step-9")->number, 2U);
  EXPECT_EQ(numberThere("step-9"), 1U);
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

TEST_F(MovedTags, StayWhereTheVersionThatGetsThemFails) {
  add(*ours_, "sst2", 61, {"prod"});
  const Digest manifest = ours_->resolve("sst2:v3")->manifestDigest;
  const auto objects = ours_->catalog().objectsOf(manifest).value();
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) std::filesystem::remove(ours_->objects().pathOf(object.digest));
  }
  const PushReport report = pushed(*ours_);
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].label, "sst2:v3");
  EXPECT_THAT(report.pushed, IsEmpty());
  EXPECT_THAT(report.tags, IsEmpty());
  EXPECT_EQ(numberThere("prod"), 2U);
}

TEST_F(MovedTags, OnBothSidesAreTakenOffByWhoHasSeenThem) {
  move(*theirs_, "sst2:v1");
  ASSERT_NO_FATAL_FAILURE(static_cast<void>(pushed(*theirs_)));
  add(*ours_, "sst2", 61, {"prod"});
  EXPECT_EQ(takeOff(*ours_, "sst2:prod").error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(pulled(*ours_).tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_TRUE(takeOff(*ours_, "sst2:prod"));
  EXPECT_EQ(numberThere("prod"), 0U);
}

TEST_F(MovedTags, StayWhereTheyMoveWhileTheUserIsAsked) {
  const auto stranger = makeStore("stranger");
  const auto planned =
      removeRemoteTag(*stranger, remote_, {.reference = "sst2:prod", .dryRun = true}, {});
  ASSERT_TRUE(planned) << planned.error().message;
  move(*theirs_, "sst2:v1");
  ASSERT_NO_FATAL_FAILURE(static_cast<void>(pushed(*theirs_)));
  const auto refused = removeRemoteTag(*stranger, remote_,
                                       {.reference = "sst2:prod", .number = planned->number}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("just now, from v2 to v1"));
  EXPECT_EQ(numberThere("prod"), 1U);
}

/// A folder in which plain files of a version stand.
class WithPlainFiles final : public test::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  Result<PlainPlan> planPlain(const PlainSet& /*plain*/, std::stop_token /*stop*/) override {
    PlainPlan plan;
    plan.standing = "sst2:v1";
    return plan;
  }
};

TEST_F(MovedTags, AndVersionsThatGoLeaveTheWordOfPlainFiles) {
  WithPlainFiles remote(std::make_unique<FolderTransport>(folder_ / "remote"));
  std::vector<std::string> told;
  const auto cards = [&](const RemoteLibrary&, const std::string& plain) {
    told.push_back(plain);
    return std::map<std::string, std::string>{};
  };
  ASSERT_TRUE(removeRemoteTag(*ours_, remote, {.reference = "sst2:prod", .cards = cards}, {}));
  ASSERT_TRUE(
      removeRemoteVersions(*ours_, remote, {.references = {"sst2:v2"}, .cards = cards}, {}));
  EXPECT_THAT(told, ElementsAre("sst2:v1", "sst2:v1"));
}

/// The remote's list is lost with what `ours_` did last, and `theirs_`, who saw the one before,
/// mends it.
class TagsOfMendedLists : public MovedTags {
 protected:
  void SetUp() override {
    MovedTags::SetUp();
    add(*theirs_, "late", 51);
    static_cast<void>(pushed(*theirs_));  // the second list
    static_cast<void>(pulled(*ours_));
  }

  void loseAndMend(std::initializer_list<std::uint64_t> lists = {2, 3}) {
    for (const std::uint64_t number : lists) {
      ASSERT_TRUE(std::filesystem::remove(folder_ / "remote" / "refs" / generationName(number)));
    }
    const auto mended = push(*theirs_, remote_, {.repair = true, .keptAs = "hub"});
    ASSERT_TRUE(mended) << mended.error().message;
    ASSERT_TRUE(mended->listMended);
    add(*theirs_, "later", 52);
    static_cast<void>(pushed(*theirs_));  // above all that ours has seen
  }
  std::string kept(const std::string& ending) const {
    return test::readWhole(ours_->folder() / "remotes" / ("hub" + ending));
  }
};

TEST_F(TagsOfMendedLists, GoAgainWhereTheListLacksThem) {
  move(*ours_, "sst2:v1", "extra");
  ASSERT_EQ(pushed(*ours_).tags.size(), 1U);
  ASSERT_NO_FATAL_FAILURE(loseAndMend());
  ASSERT_EQ(numberThere("extra"), 0U);
  static_cast<void>(pulled(*ours_));
  EXPECT_EQ(tagsToPush(*ours_), 1U);
  const PushReport sent = pushed(*ours_);
  EXPECT_THAT(sent.tagsTakenThere, IsEmpty());
  ASSERT_EQ(sent.tags.size(), 1U);
  EXPECT_EQ(numberThere("extra"), 1U);
  // From then on they are as others.
  static_cast<void>(pulled(*theirs_));
  ASSERT_TRUE(takeOff(*theirs_, "sst2:extra"));
  EXPECT_THAT(pushed(*ours_).tagsTakenThere, ElementsAre("sst2:extra"));
}

TEST_F(TagsOfMendedLists, StayOffWhereTheyWereTakenOffBefore) {
  ASSERT_TRUE(takeOff(*theirs_, "sst2:prod"));  // the third list
  add(*theirs_, "late", 53);
  static_cast<void>(pushed(*theirs_));
  move(*ours_, "sst2:v1", "extra");
  EXPECT_THAT(pushed(*ours_).tagsTakenThere, ElementsAre("sst2:prod"));
  ASSERT_NO_FATAL_FAILURE(loseAndMend({4, 5}));
  const PushReport sent = pushed(*ours_);
  EXPECT_THAT(sent.tagsTakenThere, ElementsAre("sst2:prod"));
  EXPECT_EQ(sent.tags.size(), 1U);
  EXPECT_EQ(numberThere("prod"), 0U);
}

TEST_F(TagsOfMendedLists, AreTakenOffByWhoHasSeenThem) {
  move(*ours_, "sst2:v1");
  static_cast<void>(pushed(*ours_));
  ASSERT_NO_FATAL_FAILURE(loseAndMend());
  for (int i = 0; i < 2; ++i) {
    const auto refused = takeOff(*ours_, "sst2:prod");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                HasSubstr("may have been moved there since, and is v2; pull it first"));
  }
  EXPECT_THAT(pulled(*ours_).tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_TRUE(takeOff(*ours_, "sst2:prod"));
  EXPECT_EQ(numberThere("prod"), 0U);
}

TEST_F(TagsOfMendedLists, DoNotComeBackWhereTheyWereRemovedHere) {
  move(*ours_, "sst2:v1");
  static_cast<void>(pushed(*ours_));
  ASSERT_TRUE(removeTag(*ours_, "sst2:prod"));
  ASSERT_NO_FATAL_FAILURE(loseAndMend());
  for (int i = 0; i < 2; ++i) {
    const PullReport report = pulled(*ours_);
    EXPECT_THAT(report.tags, IsEmpty());
    EXPECT_THAT(report.tagsElsewhere, ElementsAre("sst2:prod"));
    EXPECT_FALSE(ours_->resolve("sst2:prod"));
    EXPECT_THAT(pushed(*ours_).tagsRemovedHere, ElementsAre("sst2:prod"));
  }
  const auto forced = pull(*ours_, remote_, {.forceTags = true, .keptAs = "hub"});
  ASSERT_TRUE(forced);
  EXPECT_EQ(ours_->resolve("sst2:prod")->number, 2U);
}

TEST_F(TagsOfMendedLists, AreDoubtedInADryRunThatWritesNothing) {
  move(*ours_, "sst2:v1");
  static_cast<void>(pushed(*ours_));
  ASSERT_NO_FATAL_FAILURE(loseAndMend());
  const auto before = std::make_tuple(kept(".json"), kept(".tags"), kept(".notes"));
  const auto sent = push(*ours_, remote_, {.dryRun = true, .keptAs = "hub"});
  ASSERT_TRUE(sent);
  EXPECT_THAT(sent->tagsElsewhere, ElementsAre("sst2:prod"));
  const auto got = pull(*ours_, remote_, {.dryRun = true, .keptAs = "hub"});
  ASSERT_TRUE(got);
  EXPECT_THAT(got->tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_FALSE(removeRemoteTag(*ours_, remote_,
                               {.reference = "sst2:prod", .dryRun = true, .keptAs = "hub"}, {}));
  EXPECT_TRUE(removeRemoteVersions(
      *ours_, remote_, {.references = {"sst2:v2"}, .dryRun = true, .keptAs = "hub"}, {}));
  EXPECT_EQ(std::make_tuple(kept(".json"), kept(".tags"), kept(".notes")), before);
}

TEST_F(TagsOfMendedLists, GoAgainAfterTheUserAcceptsAnOlderList) {
  move(*ours_, "sst2:v1", "extra");
  static_cast<void>(pushed(*ours_));
  ASSERT_TRUE(std::filesystem::remove(folder_ / "remote" / "refs" / generationName(3)));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true}));
  ASSERT_EQ(pushed(*ours_).tags.size(), 1U);
  EXPECT_EQ(numberThere("extra"), 1U);
}

}  // namespace
}  // namespace strata::hub
