// What a mend brings back of versions that others have changed on the remote since, and of those
// that nobody knows to be lost.
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/remove_versions.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two lists, of the base and of all versions; `ours_` has seen the second, `theirs_` the first.
class LostNotes : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    theirs_ = makeStore("theirs");
    importBase(*theirs_);
    const std::string second = test::readWhole(listFile(2));
    fs::remove(listFile(2));
    ASSERT_TRUE(fetchRemote(*theirs_, *connect(), "hub", {}));
    test::writeWhole(listFile(2), second);
  }
  std::unique_ptr<FolderTransport> connect() const {
    return std::make_unique<FolderTransport>(folder_ / "remote");
  }
  RefListing now() const { return connect()->readRefs({}).value(); }
  std::string noteThere(const std::string& ref) const {
    return parseRemoteVersion(ref, now().refs.at(ref))->ref.note;
  }
  void note(Store& store, const std::string& reference, const std::string& text) const {
    ASSERT_TRUE(editNote(store, {.reference = reference, .text = text}));
    const auto pushed = push(store, *connect(), kPush);
    ASSERT_TRUE(pushed) << pushed.error().message;
    ASSERT_THAT(pushed->notes, ElementsAre(reference));
  }
  void expectAllBack() const {
    for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
  }
  void expectBackAfterMend() {
    for (const char* const lost : {"ner/v1", "sst2/v1", "sst2/v2"}) {
      EXPECT_FALSE(now().refs.contains(lost));
    }
    const PushReport report = repair();
    EXPECT_THAT(report.failed, IsEmpty());
    EXPECT_THAT(report.mended, ElementsAre("ner:v1", "sst2:v1", "sst2:v2"));
    EXPECT_EQ(report.olderList, "");
    EXPECT_TRUE(now().refs.contains("ner/v1"));
    const auto kept = collect();
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_THAT(kept->lostVersions, IsEmpty());
    EXPECT_TRUE(verify().sound());
  }
  /// List 2 is lost, and many others came: nobody can tell whether what it had was taken off.
  void loseFromSight() {
    ASSERT_TRUE(removeVersions(*ours_, {.references = {"ner:v1"}, .now = true}));
    fs::remove(listFile(2));
    for (unsigned i = 0; i < 2; ++i) {
      add(*theirs_, "theirs", 100 + i);
      ASSERT_TRUE(push(*theirs_, *connect(), kPush));
    }
    const std::string text = test::readWhole(listFile(3));
    const std::size_t from = text.rfind(",\"before\"");
    test::writeWhole(listFile(3), text.substr(0, from) +
                                      test::unchecked(text.substr(text.rfind(",\"number\""))));
    fs::remove(listFile(2));
    add(*theirs_, "theirs", 300);
    ASSERT_TRUE(push(*theirs_, *connect(), kPush));
  }
  std::unique_ptr<Store> theirs_;
};

TEST_F(LostNotes, WhatOthersWroteSinceStays) {
  fs::remove(listFile(2));
  note(*theirs_, "base:v1", "important");
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_EQ(noteThere("base/v1"), "important");
  expectAllBack();
  ASSERT_TRUE(pull(*ours_, *connect(), {.keptAs = "hub"}));
  EXPECT_EQ(ours_->resolve("base:v1")->note, "important");
  const auto pulled = pull(*theirs_, *connect(), {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->notesElsewhere, IsEmpty());
  EXPECT_EQ(theirs_->resolve("base:v1")->note, "important");
}

TEST_F(LostNotes, WhatTheLostListSaidComesBack) {
  ASSERT_TRUE(pull(*theirs_, *connect(), {.keptAs = "hub"}));
  note(*ours_, "sst2:v1", "ours");
  fs::remove(listFile(3));
  note(*theirs_, "ner:v1", "theirs");
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_EQ(noteThere("sst2/v1"), "ours");
  EXPECT_EQ(noteThere("ner/v1"), "theirs");
}

TEST_F(LostNotes, WhatBothWroteIsSaidAndNoneIsLost) {
  ASSERT_TRUE(pull(*theirs_, *connect(), {.keptAs = "hub"}));
  note(*ours_, "sst2:v1", "ours");
  fs::remove(listFile(3));
  note(*theirs_, "sst2:v1", "theirs");
  const PushReport report = repair();
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_THAT(report.notesElsewhere, ElementsAre("sst2:v1"));
  EXPECT_EQ(noteThere("sst2/v1"), "theirs");
  const auto pulled = pull(*ours_, *connect(), {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->notesElsewhere, ElementsAre("sst2:v1"));
  EXPECT_EQ(ours_->resolve("sst2:v1")->note, "ours");
}

TEST_F(LostNotes, WhereTheListThatBothFollowIsGoneWhatIsThereStays) {
  fs::remove(listFile(2));
  note(*theirs_, "base:v1", "important");
  fs::remove(listFile(1));
  const PushReport report = repair();
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_EQ(noteThere("base/v1"), "important");
  EXPECT_THAT(report.notesElsewhere, ElementsAre("base:v1"));
  expectAllBack();
}

TEST_F(LostNotes, VersionsThatNobodyKnowsToBeLostComeBack) {
  loseFromSight();
  const auto fetched = fetchRemote(*ours_, *connect(), "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_THAT(fetched->problems, ElementsAre(HasSubstr("removed or lost")));
  expectBackAfterMend();
}

TEST_F(LostNotes, TheyDoWhereTheListWasNotFetchedBefore) {
  loseFromSight();
  expectBackAfterMend();
}

TEST_F(LostNotes, VersionsOfWhichNothingIsThereAreNotListedAgain) {
  const Digest manifest = ours_->resolve("ner:v1")->manifestDigest;
  loseFromSight();
  fs::remove(remotePath(manifest));
  const PushReport report = repair();
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].label, "ner:v1");
  EXPECT_FALSE(now().refs.contains("ner/v1"));
}

}  // namespace
}  // namespace strata::hub
