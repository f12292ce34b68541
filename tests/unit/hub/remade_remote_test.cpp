// Remotes that others deleted and made anew, lists that were mended by who had not seen them, and
// what a store forgot of what it agreed on.
#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/remove_remote_tag.h"
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/tags.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The remote of LostList, which others delete and make anew.
class RemadeRemote : public LostList {
 protected:
  /// With more lists than the first one had.
  void remake(Store& theirs) {
    fs::remove_all(folder_ / "remote");
    for (unsigned i = 0; i < 4; ++i) {
      FolderTransport fresh(folder_ / "remote");
      add(theirs, "theirs", 60 + i);
      ASSERT_TRUE(push(theirs, fresh, {.create = true, .keptAs = "hub"}));
    }
  }
};

TEST_F(RemadeRemote, HasOneIdentityInAllItsLists) {
  const std::string identity = list().identity;
  EXPECT_EQ(identity.size(), 32U);
  add(*ours_, "late", 50);
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  EXPECT_EQ(list().identity, identity);
  const auto stranger = makeStore("stranger");
  ASSERT_TRUE(pull(*stranger, remote_, {.keptAs = "hub"}));
  add(*stranger, "more", 51);
  ASSERT_TRUE(push(*stranger, remote_, kPush));
  EXPECT_EQ(list().identity, identity);
  EXPECT_TRUE(pull(*ours_, remote_, {.keptAs = "hub"})->problems.empty());
  test::writeWhole(listFile(4), "damaged");
  ASSERT_TRUE(push(*ours_, remote_, kRepair));
  EXPECT_EQ(list().identity, identity);
  for (const std::uint64_t number : {1, 2, 3, 4, 5}) fs::remove(listFile(number));
  ASSERT_TRUE(push(*ours_, remote_, kRepair));
  EXPECT_EQ(list().identity, identity) << "known here";
}

TEST_F(RemadeRemote, GetsAnIdentityLaterWithoutAnAlarm) {
  const std::string older = test::readWhole(listFile(2));
  const std::size_t at = older.rfind(",\"id\"");
  test::writeWhole(listFile(2), older.substr(0, at) + "}\n");
  forgetFetched(ours_->folder(), "hub");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_EQ(list().identity, "");
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  add(*theirs, "new", 50);
  ASSERT_TRUE(push(*theirs, remote_, kPush));
  EXPECT_EQ(list().identity.size(), 32U);
  EXPECT_THAT(fetchRemote(*ours_, remote_, "hub", {})->problems, IsEmpty());
  // An earlier program leaves it out: the store goes on to know it.
  const std::string newest = test::readWhole(listFile(3));
  const std::string identity = list().identity;
  test::writeWhole(listFile(4), newest.substr(0, newest.rfind(",\"id\"")) + "}\n");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  add(*ours_, "late", 51);
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  EXPECT_EQ(list().identity, identity);
}

TEST_F(RemadeRemote, IsToldFromOneWhoseTagsWereTakenOff) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  ASSERT_NO_FATAL_FAILURE(remake(*theirs));
  ASSERT_GT(list().generation, 2U);
  const auto expectOther = [](const auto& done) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(done.error().message, HasSubstr("it is another remote than the one"));
  };
  expectOther(fetchRemote(*ours_, remote_, "hub", {}));
  expectOther(push(*ours_, remote_, kPush));
  expectOther(pull(*ours_, remote_, {.keptAs = "hub"}));
  expectOther(collect());
  EXPECT_EQ(verify().damages.size(), 1U);
  const auto taken = fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true});
  ASSERT_TRUE(taken) << taken.error().message;
  const auto sent = push(*ours_, remote_, kPush);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(sent->tagsTakenThere, IsEmpty());
  EXPECT_TRUE(list().refs.contains("sst2/tags/prod"));
  EXPECT_TRUE(list().refs.contains("theirs/v4"));
  EXPECT_TRUE(push(*theirs, remote_, kPush));
}

TEST_F(RemadeRemote, IsMendedByWhatAStoreKnows) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  ASSERT_NO_FATAL_FAILURE(remake(*theirs));
  const PushReport mended = repair();
  EXPECT_THAT(mended.failed, IsEmpty());
  for (const auto& [name, text] : whole_) EXPECT_TRUE(list().refs.contains(name)) << name;
  EXPECT_TRUE(list().refs.contains("theirs/v4"));
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemadeRemote, ThatLacksOnlyATagIsSaidAndBelievedInNothing) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  // The same names, and the tag on another version.
  ASSERT_TRUE(addTag(*theirs, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  ASSERT_NO_FATAL_FAILURE(remake(*theirs));
  const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->problems, ElementsAre(HasSubstr("deleted and made anew")));
  EXPECT_THAT(pulled->tagsElsewhere, ElementsAre("sst2:prod")) << "not moved by itself";
  EXPECT_EQ(ours_->resolve("sst2:prod")->number, 2U);
  EXPECT_TRUE(pull(*ours_, remote_, {.keptAs = "hub"})->problems.empty()) << "it is known now";
}

/// A store that had seen only the first list mends the second one, which cannot be read.
class UnseenList : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    stranger_ = makeStore("stranger");
    importBase(*stranger_);
    const std::string sound = test::readWhole(listFile(2));
    fs::remove(listFile(2));
    ASSERT_TRUE(fetchRemote(*stranger_, remote_, "hub", {}));
    test::writeWhole(listFile(2), sound.substr(1));
    const auto mended = push(*stranger_, remote_, kRepair);
    ASSERT_TRUE(mended) << mended.error().message;
    ASSERT_EQ(mended->failed.size(), 1U);
  }
  Result<RemoteGarbageReport> collectAs(const Store& store, bool acceptLost = false,
                                        bool dryRun = false) {
    return collectRemoteGarbage(
        store, remote_,
        {.dryRun = dryRun, .graceSeconds = 0, .keptAs = "hub", .acceptLost = acceptLost}, {}, {});
  }
  std::unique_ptr<Store> stranger_;
};

TEST_F(UnseenList, KeepsWhatItMayHaveNamedUntilItIsFound) {
  for (const bool dryRun : {true, false}) {
    const auto kept = collectAs(*stranger_, false, dryRun);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_THAT(kept->freed, IsEmpty());
    EXPECT_THAT(kept->lostLists, ElementsAre(2));
    EXPECT_GT(kept->withheldObjects, 0U);
    EXPECT_GT(kept->withheldBytes, 0U);
    EXPECT_TRUE(kept->withheldSince);
  }
  EXPECT_EQ(sharedObjects(*ours_), 8U);
  // Others that had not seen it either push on.
  const auto third = makeStore("third");
  ASSERT_TRUE(pull(*third, remote_, {.keptAs = "hub"}));
  add(*third, "new", 50);
  ASSERT_TRUE(push(*third, remote_, kPush));
  EXPECT_THAT(collectAs(*third)->lostLists, ElementsAre(2));
  // Who saw it brings back what it named.
  const auto refused = push(*ours_, remote_, kPush);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("was mended since"));
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_THAT(list().unseen, IsEmpty());
  const auto freed = collectAs(*third);
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_THAT(freed->lostLists, IsEmpty());
  EXPECT_TRUE(verify().sound());
}

TEST_F(UnseenList, IsGivenUpWhereTheUserSaysSo) {
  const auto freed = collectAs(*stranger_, true);
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_GT(freed->freed.size(), 0U);
  EXPECT_THAT(freed->lostLists, IsEmpty());
  EXPECT_THAT(list().unseen, IsEmpty());
  EXPECT_THAT(collectAs(*stranger_)->lostLists, IsEmpty());
}

TEST_F(UnseenList, IsFoundByAPushThatHasNothingElseToSend) {
  // All that ours saw is there again, and the mark is not.
  const auto second = makeFullStore("second");
  ASSERT_TRUE(push(*second, remote_));
  EXPECT_THAT(list().unseen, ElementsAre(2));
  const auto sent = push(*ours_, remote_, kPush);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(sent->failed, IsEmpty());
  EXPECT_THAT(list().unseen, IsEmpty());
}

TEST_F(UnseenList, StaysMarkedWhereItIsMendedAgain) {
  const std::uint64_t number = list().generation;
  test::writeWhole(listFile(number), "");
  ASSERT_TRUE(push(*stranger_, remote_, kRepair));
  // Nothing is left of the later one, and objects lie there that no list names.
  EXPECT_THAT(list().unseen, ElementsAre(2, number));
  test::writeWhole(listFile(number + 1), "");
  ASSERT_TRUE(push(*ours_, remote_, kRepair)) << "saw neither of them";
  EXPECT_FALSE(list().unseen.contains(2));
  EXPECT_TRUE(list().unseen.contains(number + 1));
}

/// What a store keeps of what it agreed on with a remote is lost, damaged or cannot be written.
class LostMemory : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    ASSERT_TRUE(push(*ours_, remote_, kPush));
    RemoteList remotes;
    remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
    ASSERT_TRUE(remotes.save(ours_->folder()));
  }
  fs::path kept(const std::string& ending) const {
    return ours_->folder() / "remotes" / ("hub" + ending);
  }
  void lose(const std::string& ending, bool isGone) const {
    if (isGone) {
      fs::remove(kept(ending));
    } else {
      std::string text = test::readWhole(kept(ending));
      text[text.size() / 2] ^= 1;
      test::writeWhole(kept(ending), text);
    }
  }
  VerifyReport verifyHere() const {
    auto report = verifyStore(*ours_, {}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }
};

TEST_F(LostMemory, OfTagsPutsNoneBackThatWasTakenOff) {
  for (const bool isGone : {true, false}) {
    lose(".tags", isGone);
    ASSERT_TRUE(removeRemoteTag(*ours_, remote_, {.reference = "sst2:prod", .keptAs = "hub"}, {}));
    const auto expectDoubt = [&](const char* what) {
      const auto sent = push(*ours_, remote_, kPush);
      ASSERT_TRUE(sent) << sent.error().message;
      EXPECT_THAT(sent->tagsInDoubt, ElementsAre("sst2:prod")) << what;
      EXPECT_FALSE(list().refs.contains("sst2/tags/prod")) << what;
    };
    expectDoubt("at once");
    expectDoubt("later");
    ASSERT_TRUE(pull(*ours_, remote_, {.keptAs = "hub"}));
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
    expectDoubt("after a pull");
    PushOptions forced = kPush;
    forced.forceTags = true;
    ASSERT_TRUE(push(*ours_, remote_, forced));
    EXPECT_TRUE(list().refs.contains("sst2/tags/prod"));
    EXPECT_THAT(push(*ours_, remote_, kPush)->tagsInDoubt, IsEmpty());
    // New ones go as ever.
    const std::string fresh = isGone ? "one" : "two";
    ASSERT_TRUE(addTag(*ours_, {.reference = "sst2:v1", .tag = fresh}));
    EXPECT_EQ(push(*ours_, remote_, kPush)->tags.size(), 1U);
  }
}

TEST_F(LostMemory, OfNotesAloneDoubtsNoTag) {
  const auto theirs = makeStore("theirs");
  for (const bool isGone : {true, false}) {
    ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
    ASSERT_TRUE(addTag(*theirs, {.reference = "sst2:v1", .tag = "prod", .move = true}));
    ASSERT_TRUE(push(*theirs, remote_, kPush));
    lose(".notes", isGone);
    const auto moved = pull(*ours_, remote_, {.keptAs = "hub"});
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_THAT(moved->tagsElsewhere, IsEmpty()) << "it was moved there alone";
    EXPECT_EQ(ours_->resolve("sst2:prod")->number, 1U);
    lose(".notes", isGone);
    ASSERT_TRUE(removeRemoteTag(*theirs, remote_, {.reference = "sst2:prod", .keptAs = "hub"}, {}));
    for (const bool isFetched : {false, true}) {
      if (isFetched) {
        ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
      }
      const auto sent = push(*ours_, remote_, kPush);
      ASSERT_TRUE(sent) << sent.error().message;
      EXPECT_THAT(sent->tagsTakenThere, ElementsAre("sst2:prod"));
      EXPECT_FALSE(list().refs.contains("sst2/tags/prod"));
    }
    // As it was, for the next way to lose them.
    PushOptions forced = kPush;
    forced.forceTags = true;
    ASSERT_TRUE(addTag(*ours_, {.reference = "sst2:v2", .tag = "prod", .move = true}));
    ASSERT_TRUE(push(*ours_, remote_, forced));
  }
}

TEST_F(LostMemory, OfNotesBringsNoneBackThatWasEmptiedThere) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(editNote(*ours_, {.reference = "sst2:v1", .text = "old"}));
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(editNote(*theirs, {.reference = "sst2:v1", .text = ""}));
  ASSERT_TRUE(push(*theirs, remote_, kPush));
  const auto expectDoubt = [&](const char* what) {
    const auto sent = push(*ours_, remote_, kPush);
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_THAT(sent->notes, IsEmpty()) << what;
    EXPECT_THAT(sent->notesElsewhere, ElementsAre("sst2:v1")) << what;
  };
  for (const bool isGone : {true, false}) {
    lose(".notes", isGone);
    expectDoubt("at once");
    expectDoubt("later");
    lose(".notes", isGone);
    const auto fetched = fetchRemote(*ours_, remote_, "hub", {});
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_THAT(fetched->problems, ElementsAre(HasSubstr("was lost here")));
    expectDoubt("after a fetch");
    lose(".notes", isGone);
    const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_THAT(pulled->notesElsewhere, ElementsAre("sst2:v1"));
    EXPECT_EQ(ours_->resolve("sst2:v1")->note, "old");
    expectDoubt("after a pull");
  }
}

TEST_F(LostMemory, OfOneFileKeepsTheDoubtsOfTheOther) {
  // The list was lost, and mended by who had seen neither the tag nor the note.
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(editNote(*ours_, {.reference = "sst2:v1", .text = "new"}));
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  test::writeWhole(listFile(list().generation), "damaged");
  ASSERT_TRUE(push(*theirs, remote_, kRepair));
  lose(".tags", true);
  const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(ours_->resolve("sst2:v1")->note, "new") << "at once";
  ASSERT_TRUE(pull(*ours_, remote_, {.keptAs = "hub"}));
  EXPECT_EQ(ours_->resolve("sst2:v1")->note, "new") << "later";
}

TEST_F(LostMemory, IsDamageThatAFetchMends) {
  EXPECT_TRUE(verifyHere().sound());
  for (const std::string ending : {".json", ".tags", ".notes"}) {
    for (const bool isGone : {true, false}) {
      lose(ending, isGone);
      const VerifyReport report = verifyHere();
      ASSERT_EQ(report.damages.size(), 1U) << ending;
      EXPECT_EQ(report.damages[0].kind, Damage::Kind::Remote);
      EXPECT_EQ(report.damages[0].path, kept(ending));
      EXPECT_EQ(report.damages[0].remote, "hub");
      ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
      EXPECT_TRUE(verifyHere().sound()) << ending;
    }
  }
}

TEST_F(LostMemory, IsNoDamageWhereAnEarlierProgramKeptIt) {
  fs::remove(kept(".tags"));
  fs::remove(kept(".notes"));
  test::writeWhole(kept(".json"), R"({"fetched_at":7,"generation":2,"index":"{\"format\":1,)"
                                  R"(\"refs\":{}}"})");
  EXPECT_TRUE(verifyHere().sound());
  test::writeWhole(kept(".tags"), R"({"sst2:prod":2})");
  EXPECT_TRUE(verifyHere().sound());
  EXPECT_EQ(readAgreed(ours_->folder(), "hub").tags.at("sst2:prod"), 2U);
}

TEST_F(LostMemory, WhatIsInItsWayIsSetAside) {
  for (const std::string ending : {".tags", ".notes"}) {
    fs::remove(kept(ending));
    fs::create_directories(kept(ending) / "in the way");
    add(*ours_, "late", ending == ".tags" ? 70U : 71U);
    const auto sent = push(*ours_, remote_, kPush);
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_EQ(sent->pushed.size(), 1U);
    EXPECT_THAT(sent->failed, IsEmpty()) << ending;
    EXPECT_TRUE(fs::is_regular_file(kept(ending))) << ending;
    EXPECT_TRUE(fs::is_directory(kept(ending + ".damaged") / "in the way")) << ending;
    EXPECT_TRUE(verifyHere().sound()) << ending;
  }
}

}  // namespace
}  // namespace strata::hub
