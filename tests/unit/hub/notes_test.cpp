#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "hub/generation.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Notes of versions that two stores have from one remote.
class NotesOfVersions : public test::ExchangeFixture {
 protected:
  NotesOfVersions() : ours_(makeFullStore("ours")), theirs_(makeStore("theirs")) {
    send(*ours_);
    fetch(*theirs_);
  }

  PushReport send(Store& store, bool dryRun = false) {
    const auto report = push(store, remote_, {.dryRun = dryRun, .keptAs = "hub"});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PushReport{});
  }

  PullReport fetch(Store& store, bool dryRun = false) {
    const auto report = pull(store, remote_, {.dryRun = dryRun, .keptAs = "hub"});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PullReport{});
  }

  static void note(Store& store, const std::string& text) {
    ASSERT_TRUE(editNote(store, {.reference = "sst2:v1", .text = text}));
  }

  static std::string noteOf(const Store& store) { return store.resolve("sst2:v1")->note; }

  const std::unique_ptr<Store> ours_, theirs_;
};

TEST_F(NotesOfVersions, FollowAPushAndAPull) {
  note(*ours_, "passed review");
  EXPECT_THAT(send(*ours_, /*dryRun=*/true).notes, ElementsAre("sst2:v1"));
  EXPECT_THAT(fetch(*theirs_).notes, IsEmpty());
  EXPECT_THAT(send(*ours_).notes, ElementsAre("sst2:v1"));
  EXPECT_THAT(send(*ours_).notes, IsEmpty());
  EXPECT_THAT(fetch(*theirs_, /*dryRun=*/true).notes, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteOf(*theirs_), "");
  EXPECT_THAT(fetch(*theirs_).notes, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteOf(*theirs_), "passed review");
  // What a pull did is no change of this store that undo takes back.
  EXPECT_EQ(theirs_->catalog().operations(1)->front().kind, "pull");
  EXPECT_THAT(fetch(*theirs_).notes, IsEmpty());
  expectSound(*theirs_);
  const auto later = makeStore("later");
  fetch(*later);
  EXPECT_EQ(noteOf(*later), "passed review");
}

/// What was agreed on is kept while the version has another name here.
TEST_F(NotesOfVersions, OneThatWasTakenBackAfterARenameDoesNotComeBack) {
  note(*ours_, "passed review");
  send(*ours_);
  ASSERT_TRUE(renameVersions(*ours_, {.name = "sst2", .newName = "other"}));
  send(*ours_);
  for (const char* const kind : {"rename", "note"}) {
    const auto undone = undoOperation(*ours_, {});
    ASSERT_TRUE(undone) << undone.error().message;
    EXPECT_EQ(undone->operation.kind, kind);
  }
  EXPECT_THAT(fetch(*ours_).notes, IsEmpty());
  EXPECT_EQ(noteOf(*ours_), "");
  EXPECT_THAT(send(*ours_).notes, ElementsAre("sst2:v1"));
  fetch(*theirs_);
  EXPECT_EQ(noteOf(*theirs_), "");
}

TEST_F(NotesOfVersions, AreTakenAwayOnBothSides) {
  note(*ours_, "passed review");
  send(*ours_);
  fetch(*theirs_);
  note(*theirs_, "");
  EXPECT_THAT(fetch(*theirs_).notes, IsEmpty());
  EXPECT_EQ(noteOf(*theirs_), "");
  EXPECT_THAT(send(*theirs_).notes, ElementsAre("sst2:v1"));
  EXPECT_THAT(fetch(*ours_).notes, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteOf(*ours_), "");
}

TEST_F(NotesOfVersions, StayWhereBothSidesEditedThem) {
  note(*ours_, "passed review");
  send(*ours_);
  note(*theirs_, "failed review");
  const PullReport pulled = fetch(*theirs_);
  EXPECT_THAT(pulled.notes, IsEmpty());
  EXPECT_THAT(pulled.notesElsewhere, ElementsAre("sst2:v1"));
  EXPECT_THAT(send(*theirs_).notesElsewhere, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteOf(*theirs_), "failed review");
  fetch(*ours_);
  EXPECT_EQ(noteOf(*ours_), "passed review");
  // Who takes the other's text has agreed, and goes on from there.
  note(*theirs_, "passed review");
  EXPECT_THAT(fetch(*theirs_).notesElsewhere, IsEmpty());
  note(*theirs_, "passed twice");
  EXPECT_THAT(send(*theirs_).notes, ElementsAre("sst2:v1"));
  fetch(*ours_);
  EXPECT_EQ(noteOf(*ours_), "passed twice");
}

TEST_F(NotesOfVersions, EditedThereAreLeftToAPull) {
  note(*ours_, "passed review");
  send(*ours_);
  const PushReport behind = send(*theirs_);
  EXPECT_THAT(behind.notes, IsEmpty());
  EXPECT_THAT(behind.notesEditedThere, ElementsAre("sst2:v1"));
  EXPECT_THAT(fetch(*ours_).notes, IsEmpty());
  EXPECT_EQ(noteOf(*ours_), "passed review");
}

TEST_F(NotesOfVersions, GoAlongWithNewVersions) {
  note(*ours_, "passed review");
  add(*ours_, "sst2", 77);
  const PushReport sent = send(*ours_);
  EXPECT_THAT(test::labelsOf(sent.pushed), ElementsAre("sst2:v3"));
  EXPECT_THAT(sent.notes, ElementsAre("sst2:v1"));
  const PullReport pulled = fetch(*theirs_);
  EXPECT_THAT(test::labelsOf(pulled.pulled), ElementsAre("sst2:v3"));
  EXPECT_THAT(pulled.notes, ElementsAre("sst2:v1"));
}

TEST_F(NotesOfVersions, AreKnownUnderARemotesNewName) {
  note(*ours_, "passed review");
  send(*ours_);
  renameFetched(ours_->folder(), "hub", "lab");
  note(*ours_, "");
  const auto sent = push(*ours_, remote_, {.keptAs = "lab"});
  ASSERT_TRUE(sent);
  EXPECT_THAT(sent->notes, ElementsAre("sst2:v1"));
}

TEST_F(NotesOfVersions, OutlastAProgramThatKnowsOnlyTags) {
  note(*ours_, "passed review");
  send(*ours_);
  note(*ours_, "");
  test::writeWhole(ours_->folder() / "remotes" / "hub.tags", "{}");
  EXPECT_THAT(send(*ours_).notes, ElementsAre("sst2:v1"));
  const auto notes = ours_->folder() / "remotes" / "hub.notes";
  EXPECT_TRUE(std::filesystem::exists(notes));
  forgetFetched(ours_->folder(), "hub");
  EXPECT_FALSE(std::filesystem::exists(notes));
}

TEST_F(NotesOfVersions, StayWhereNothingWasAgreedOn) {
  note(*ours_, "passed review");
  send(*ours_);
  note(*ours_, "");
  const auto pulled = pull(*ours_, remote_, {});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->notes, IsEmpty());
  EXPECT_EQ(noteOf(*ours_), "");
}

/// A list that was lost, and made anew by a store that had not seen it.
TEST_F(NotesOfVersions, AreNotTakenFromAListThatWasMendedByAnOlderOne) {
  add(*theirs_, "late", 51);
  send(*theirs_);  // the second list
  fetch(*ours_);
  note(*ours_, "passed review");
  ASSERT_TRUE(addTag(*ours_, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  ASSERT_TRUE(push(*ours_, remote_, {.forceTags = true, .keptAs = "hub"}));  // the third
  for (const std::uint64_t number : {2U, 3U}) {
    ASSERT_TRUE(std::filesystem::remove(folder_ / "remote" / "refs" / generationName(number)));
  }
  const auto mended = push(*theirs_, remote_, {.repair = true, .keptAs = "hub"});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_TRUE(mended->listMended);
  add(*theirs_, "later", 52);
  send(*theirs_);  // above all that ours has seen
  for (int round = 0; round < 2; ++round) {
    for (const bool dryRun : {true, false}) {
      const PullReport pulled = fetch(*ours_, dryRun);
      EXPECT_THAT(pulled.notes, IsEmpty());
      EXPECT_THAT(pulled.notesElsewhere, ElementsAre("sst2:v1"));
      EXPECT_THAT(pulled.tagsElsewhere, ElementsAre("sst2:prod"));
    }
    EXPECT_EQ(noteOf(*ours_), "passed review");
    EXPECT_EQ(ours_->resolve("sst2:prod")->label(), "sst2:v1");
    const PushReport sent = send(*ours_);
    EXPECT_THAT(sent.notes, IsEmpty());
    EXPECT_THAT(sent.notesElsewhere, ElementsAre("sst2:v1"));
    EXPECT_THAT(sent.tagsElsewhere, ElementsAre("sst2:prod"));
  }
  // What others edit after that, and what they agree on, goes as ever.
  ASSERT_TRUE(editNote(*theirs_, {.reference = "sst2:v2", .text = "new"}));
  send(*theirs_);
  EXPECT_THAT(fetch(*ours_).notes, ElementsAre("sst2:v2"));
  note(*theirs_, "passed review");
  send(*theirs_);
  EXPECT_THAT(fetch(*ours_).notesElsewhere, IsEmpty());
  note(*ours_, "passed twice");
  EXPECT_THAT(send(*ours_).notes, ElementsAre("sst2:v1"));
}

TEST_F(NotesOfVersions, AreNotTakenFromAnOlderListThatTheUserAccepts) {
  note(*ours_, "passed review");
  send(*ours_);  // the second list
  ASSERT_TRUE(std::filesystem::remove(folder_ / "remote" / "refs" / generationName(2)));
  ASSERT_FALSE(pull(*ours_, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true}));
  EXPECT_THAT(fetch(*ours_).notesElsewhere, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteOf(*ours_), "passed review");
}

TEST_F(NotesOfVersions, ComeWithAVersionThatIsBack) {
  ASSERT_TRUE(removeVersions(*theirs_, {.references = {"sst2:v1"}}));
  note(*ours_, "passed review");
  send(*ours_);
  fetch(*theirs_);
  EXPECT_EQ(noteOf(*theirs_), "passed review");
}

}  // namespace
}  // namespace strata::hub
