// Versions that got another number on a remote get it here, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/asked_remotes.h"
#include "core/store/store_writer.h"
#include "core/transfer/transfer_claim.h"
#include "core/transfer/transfer_log.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The remote has m:v1 of `theirs_`; `ours_` has another one, with a tag, and m:v2.
class Renumbered : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    importBase(*theirs_);
    add(*theirs_, "m", 11);
    ASSERT_TRUE(push(*theirs_, remote_));
    importBase(*ours_);
    add(*ours_, "m", 21, {"prod"});
    add(*ours_, "m", 22);
    first_ = contentOf(*ours_, "m:v1");
    second_ = contentOf(*ours_, "m:v2");
  }

  static Digest contentOf(const Store& store, const std::string& reference) {
    const auto version = store.resolveChecked(reference);
    return version ? version->contentDigest : Digest{};
  }
  static std::vector<std::string> labelsIn(const Store& store) {
    const auto versions = store.catalog().versions();
    std::vector<std::string> labels;
    for (const VersionEntry& one : versions.value()) labels.push_back(one.label());
    return labels;
  }
  PushReport renumber(const PushOptions& how = {.renumber = true}) {
    PushOptions options = how;
    options.keptAs = remote_.url();
    auto pushed = push(*ours_, remote_, options);
    EXPECT_TRUE(pushed) << pushed.error().message;
    return pushed.value_or(PushReport{});
  }
  Result<PullReport> pullOurs() { return pull(*ours_, remote_, {.keptAs = remote_.url()}); }

  const std::unique_ptr<Store> theirs_ = makeStore("theirs");
  const std::unique_ptr<Store> ours_ = makeStore("ours");
  Digest first_, second_;
};

TEST_F(Renumbered, NamesMeanTheSameOnBothSides) {
  const PushReport pushed = renumber();
  EXPECT_THAT(labelsOf(pushed.pushed), ElementsAre("m:v3", "m:v4"));
  EXPECT_THAT(pushed.failed, IsEmpty());
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v3", "m:v4"));
  EXPECT_EQ(contentOf(*ours_, "m:v3"), first_);
  EXPECT_EQ(contentOf(*ours_, "m:v4"), second_);
  EXPECT_EQ(contentOf(*ours_, "m:prod"), first_) << "with its tags";
  EXPECT_EQ(ours_->resolve("m:prod")->number, 3U);
  expectSound(*ours_);
  EXPECT_THAT(renumber().renumbered, IsEmpty());
  // What has the number there gets it here, and nothing else does.
  add(*ours_, "m", 23);
  EXPECT_EQ(ours_->resolve("m")->number, 5U);
  const auto pulled = pullOurs();
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_THAT(pulled->pulled, SizeIs(1));
  EXPECT_EQ(pulled->pulled[0].version.label(), "m:v1");
  EXPECT_EQ(contentOf(*ours_, "m:v1"), contentOf(*theirs_, "m:v1"));
  expectSound(*ours_);
  // Others pull the numbers that both have.
  ASSERT_TRUE(push(*ours_, remote_));
  const auto third = makeStore("third");
  ASSERT_TRUE(pull(*third, remote_));
  ASSERT_TRUE(pull(*theirs_, remote_));
  for (const std::string& label : labelsIn(*ours_)) {
    EXPECT_EQ(contentOf(*third, label), contentOf(*ours_, label)) << label;
    EXPECT_EQ(contentOf(*theirs_, label), contentOf(*ours_, label)) << label;
  }
}

TEST_F(Renumbered, UndoTakesItBackAndRedoDoesItAgain) {
  const std::vector<std::string> before = labelsIn(*ours_);
  renumber();
  const auto undone = undoOperation(*ours_, {});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(undone->operation.kind, "renumber");
  EXPECT_EQ(undone->operation.detail, "m:v1 to v3, m:v2 to v4");
  EXPECT_THAT(undone->changes, ElementsAre("m:v3 -> m:v1", "m:v4 -> m:v2", "tag m:prod: v3 -> v1"));
  EXPECT_EQ(labelsIn(*ours_), before);
  EXPECT_EQ(contentOf(*ours_, "m:v1"), first_);
  EXPECT_EQ(contentOf(*ours_, "m:prod"), first_);
  expectSound(*ours_);
  const auto told = push(*ours_, remote_);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(told->pushed, IsEmpty());
  ASSERT_THAT(told->renumbered, SizeIs(2));
  EXPECT_FALSE(told->renumbered[0].isHereToo) << "nobody asked for it";
  const auto again = undoOperation(*ours_, {.again = true});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v3", "m:v4"));
  EXPECT_EQ(contentOf(*ours_, "m:prod"), first_);
  expectSound(*ours_);
  ASSERT_TRUE(pullOurs());
  EXPECT_EQ(contentOf(*ours_, "m:v1"), contentOf(*theirs_, "m:v1"));
  // By now the number is another version's.
  const auto refused = undoOperation(*ours_, {.id = undone->operation.id});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("v1 is another version by now"));
  EXPECT_EQ(contentOf(*ours_, "m:v3"), first_);
}

TEST_F(Renumbered, TheNumberThatWasLeftIsNoOtherContents) {
  renumber();
  ASSERT_TRUE(removeVersions(*theirs_, {.references = {"m:v1"}, .now = true}));
  const auto other = makeStore("other");
  importBase(*other);
  add(*other, "m", 31);
  FolderTransport second(folder_ / "second");
  ASSERT_TRUE(push(*other, second));
  const auto pulled = pull(*ours_, second);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(ours_->resolve("m:v1").has_value(), false);
  EXPECT_EQ(contentOf(*ours_, "m:v5"), contentOf(*other, "m:v1"));
}

TEST_F(Renumbered, AVersionThatAnotherRemoteHasKeepsItsNumber) {
  AskedRemotes known;
  known.note("far", {{"m", {{1, toHex(first_).substr(0, LastNumber::kFormerDigits)}}}});
  ASSERT_TRUE(known.save(ours_->folder()));
  const PushReport pushed = renumber();
  ASSERT_THAT(pushed.renumbered, SizeIs(2));
  EXPECT_FALSE(pushed.renumbered[0].isHereToo);
  EXPECT_TRUE(pushed.renumbered[1].isHereToo);
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v1", "m:v4"));
}

TEST_F(Renumbered, AVersionThatAListedPushNamesKeepsItsNumber) {
  const TransferRequest request{
      .direction = TransferRequest::Direction::Push, .remote = "far", .references = {"m:v1"}};
  TransferClaim::take(*ours_, request, TransferEntry::State::Running, 1).reset();
  const PushReport pushed = renumber();
  ASSERT_THAT(pushed.renumbered, SizeIs(2));
  EXPECT_FALSE(pushed.renumbered[0].isHereToo);
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v1", "m:v4"));
  // Once that is over, the next push goes on.
  const auto listed = listTransfers(*ours_);
  ASSERT_THAT(*listed, SizeIs(1));
  ASSERT_TRUE(forgetTransfers(*ours_, {listed->front().id}));
  EXPECT_TRUE(renumber().renumbered.at(0).isHereToo);
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v3", "m:v4"));
}

TEST_F(Renumbered, ADryRunChangesNothing) {
  const std::vector<std::string> before = labelsIn(*ours_);
  const PushReport pushed = renumber({.renumber = true, .dryRun = true});
  ASSERT_THAT(pushed.renumbered, SizeIs(2));
  EXPECT_FALSE(pushed.renumbered[0].isHereToo);
  EXPECT_EQ(labelsIn(*ours_), before);
  EXPECT_FALSE(undoOperation(*ours_, {.dryRun = true})->operation.kind == "renumber");
}

/// The push is done then, and the next one goes on.
TEST_F(Renumbered, WhereAnotherWriterIsAtWorkThatIsSaid) {
  for (const unsigned seed : {23U, 24U}) add(*ours_, "m", seed);
  const std::vector<std::string> before = labelsIn(*ours_);
  ours_->setLockWait({.longest = std::chrono::milliseconds(0)});
  {
    const auto other = Store::open(ours_->folder());
    ASSERT_TRUE(other);
    const auto writer = (*other)->lock("add");
    ASSERT_TRUE(writer);
    const PushReport pushed = renumber();
    ASSERT_THAT(pushed.failed, SizeIs(1));
    EXPECT_EQ(pushed.failed[0].error.code, ErrorCode::StoreLocked);
    EXPECT_TRUE(pushed.failed[0].isMemory);
    EXPECT_THAT(labelsOf(pushed.pushed), ElementsAre("m:v5", "m:v6", "m:v7", "m:v8"));
  }
  EXPECT_EQ(labelsIn(*ours_), before);
  // Which is which is known, although only the first one's number is another version's there.
  EXPECT_THAT(pullOurs()->alreadyHere, SizeIs(5));
  EXPECT_THAT(push(*ours_, remote_, {.keptAs = remote_.url()})->pushed, IsEmpty());
  const PushReport again = renumber();
  EXPECT_THAT(again.failed, IsEmpty());
  EXPECT_THAT(again.pushed, IsEmpty());
  // The pull has brought what has the first number there.
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v5", "m:v6", "m:v7", "m:v8", "m:v9"));
}

TEST_F(Renumbered, EqualContentsKeepTheirOrder) {
  add(*ours_, "m", 21);  // a rollback
  ASSERT_EQ(contentOf(*ours_, "m:v3"), first_);
  renumber();
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v4", "m:v5", "m:v6"));
  EXPECT_EQ(contentOf(*ours_, "m:v4"), first_);
  EXPECT_EQ(contentOf(*ours_, "m:v6"), first_);
  EXPECT_EQ(ours_->resolve("m:prod")->number, 4U);
  ASSERT_TRUE(undoOperation(*ours_, {}));
  EXPECT_THAT(labelsIn(*ours_), ElementsAre("base:v1", "m:v1", "m:v2", "m:v3"));
  EXPECT_EQ(ours_->resolve("m:prod")->number, 1U);
  expectSound(*ours_);
}

}  // namespace
}  // namespace strata::hub
