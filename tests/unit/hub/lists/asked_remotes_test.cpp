// What a store knows of its remotes beside the lists that it keeps of them: asked.json.
#include <functional>
#include <utility>

#include "core/ops/care/recover_versions.h"
#include "core/ops/exchange/kept_damage.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/store/asked_remotes.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A store that has exchanged versions with the remote "hub", which it names.
class AskedRemotesOf : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    RemoteList remotes;
    remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
    ASSERT_TRUE(remotes.save(ours_->folder()));
    fs::remove(asked());  // of before it had a name
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
    ASSERT_THAT(damages(), IsEmpty());
  }

  fs::path place(const char* name) const { return ours_->folder() / "remotes" / name; }
  fs::path asked() const { return ours_->folder() / "asked.json"; }
  std::vector<std::string> damages() const {
    std::vector<std::string> reasons;
    for (const Damage& one : keptDamages(ours_->folder())) reasons.push_back(one.reason);
    return reasons;
  }
  Result<AddReport> addHere(const std::string& name, unsigned seed, bool isDry = false) {
    const auto model = test::makeTuned(*test::makeModel(1), seed);
    return addVersion(*ours_, *model, {.name = name, .dryRun = isDry}, {}, {});
  }
  std::string labelOf(const Result<AddReport>& added) {
    EXPECT_TRUE(added) << added.error().message;
    return added ? added->version.label() : std::string();
  }
};

TEST_F(AskedRemotesOf, TheLossOfAllThatIsKeptIsDamageThatAFetchMends) {
  ASSERT_TRUE(addTag(*ours_, {.reference = "sst2:v1", .tag = "old"}));
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_THAT(damages(),
              ElementsAre(HasSubstr("hub.json: is missing"), HasSubstr("hub.tags: is missing"),
                          HasSubstr("hub.notes: is missing")));
  const auto isRefused = [&](const auto& done, const char* what) {
    ASSERT_FALSE(done) << what;
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData) << what;
    EXPECT_THAT(done.error().message, HasSubstr("nothing is done; fetch takes")) << what;
  };
  isRefused(collect(), "gc");
  isRefused(push(*ours_, remote_, kPush), "push");
  isRefused(pull(*ours_, remote_, {.keptAs = "hub"}), "pull");
  const auto fetched = fetchRemote(*ours_, remote_, "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, SizeIs(2));
  EXPECT_THAT(damages(), IsEmpty());
  EXPECT_TRUE(collect());
  EXPECT_TRUE(push(*ours_, remote_, kPush)->failed.empty());
}

TEST_F(AskedRemotesOf, NoAlarmIsRaisedForWhatAnEarlierProgramLeft) {
  fs::remove(asked());
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_THAT(damages(), IsEmpty());
  EXPECT_TRUE(push(*ours_, remote_, kPush));
  EXPECT_TRUE(fs::exists(asked()));
}

TEST_F(AskedRemotesOf, KnowThePlaceUnderAnotherNameOfIt) {
  RemoteList remotes = RemoteList::load(ours_->folder()).value();
  remotes.remotes.push_back({.name = "same", .url = remote_.url()});
  ASSERT_TRUE(remotes.save(ours_->folder()));
  EXPECT_THAT(damages(), IsEmpty()) << "it is kept under the first name";
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_FALSE(push(*ours_, remote_, {.keptAs = "same"}));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "same", {}));
  EXPECT_TRUE(push(*ours_, remote_, {.keptAs = "hub"}));
}

TEST_F(AskedRemotesOf, WhatIsNoFileIsSetAsideByAFetch) {
  for (const char* const name : {"hub.json", "hub.tags", "hub.notes"}) {
    fs::remove(place(name));
    fs::create_directory(place(name));
    test::writeWhole(place(name) / "mine", "of the user");
    EXPECT_THAT(damages(), ElementsAre(HasSubstr("is a folder"))) << name;
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {})) << name;
    EXPECT_THAT(damages(), IsEmpty()) << name;
    const fs::path aside = place(name).string() + ".damaged";
    EXPECT_EQ(test::readWhole(aside / "mine"), "of the user") << name;
    // A link is set aside, too, and what it leads to stays.
    test::writeWhole(folder_ / "own", "of the user");
    fs::remove(place(name));
    fs::create_symlink(folder_ / "own", place(name));
    EXPECT_THAT(damages(), ElementsAre(HasSubstr("is a link"))) << name;
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {})) << name;
    EXPECT_THAT(damages(), IsEmpty()) << name;
    EXPECT_TRUE(fs::is_symlink(aside.string() + "-2")) << name;
    EXPECT_EQ(test::readWhole(folder_ / "own"), "of the user") << name;
  }
  EXPECT_TRUE(push(*ours_, remote_, kPush)->failed.empty());
}

TEST_F(AskedRemotesOf, AddTakesNoNumberThatARemoteGave) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  add(*theirs, "sst2", 62);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_EQ(labelOf(addHere("sst2", 71, true)), "sst2:v5");
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v5");
  EXPECT_EQ(labelOf(addHere("ner", 72)), "ner:v2");
  const auto pushed = push(*ours_, remote_, kPush);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, IsEmpty());
  const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("sst2:v3", "sst2:v4"));
}

TEST_F(AskedRemotesOf, TheSameContentGetsTheNumberThatItHasThere) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  add(*theirs, "sst2", 62);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_EQ(labelOf(addHere("sst2", 61)), "sst2:v3");
  EXPECT_THAT(push(*ours_, remote_, kPush)->pushed, IsEmpty());
}

TEST_F(AskedRemotesOf, NumbersAreKnownWithoutTheLists) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  fs::resize_file(place("hub.json"), fs::file_size(place("hub.json")) / 2);
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v4");
}

TEST_F(AskedRemotesOf, TheListsAreReadWhereNothingIsNoted) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  fs::remove(asked());
  const std::string list = test::readWhole(place("hub.json"));
  fs::resize_file(place("hub.json"), list.size() / 2);
  const auto refused = addHere("sst2", 71);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(refused.error().message, HasSubstr("strata fetch hub mends it"));
  test::writeWhole(place("hub.json"), list);
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v4");
}

TEST_F(AskedRemotesOf, DamageOfTheNumbersIsSaidAndMendedByARepair) {
  const std::string text = test::readWhole(asked());
  std::size_t tried = 0;
  for (std::size_t i = 0; i < text.size(); i += 37, ++tried) {
    std::string broken = text;
    broken[i] = static_cast<char>(broken[i] ^ 1);
    test::writeWhole(asked(), broken);
    const auto refused = addHere("sst2", 71);
    ASSERT_FALSE(refused) << "byte " << i;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(damages(), ElementsAre(HasSubstr("verify --repair makes it anew")));
    const auto mended = recoverVersions(*ours_, {});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_TRUE(mended->numbersMade);
    EXPECT_EQ(test::readWhole(asked()), text);
  }
  EXPECT_GT(tried, 5U);
  EXPECT_THAT(damages(), IsEmpty());
  // So does whatever asks the remote.
  test::writeWhole(asked(), "{");
  EXPECT_TRUE(push(*ours_, remote_, kPush)->failed.empty());
  EXPECT_EQ(test::readWhole(asked()), text);
}

TEST_F(AskedRemotesOf, ARenameGivesNoNumberASecondMeaning) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "other", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  const auto refused = renameVersions(*ours_, {.name = "ner", .newName = "other"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("a remote lists another other:v1"));
  ASSERT_TRUE(renameVersions(*ours_, {.name = "ner", .newName = "mine"}));
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  EXPECT_TRUE(renameVersions(*ours_, {.name = "mine", .newName = "ner"})) << "the same contents";
}

TEST_F(AskedRemotesOf, TheLastNumberThereLeavesNoneHere) {
  AskedRemotes known = AskedRemotes::load(ours_->folder()).value();
  known.note("far", {{"sst2", {{UINT32_MAX, std::string(16, '0')}}}});
  ASSERT_TRUE(known.save(ours_->folder()));
  const auto refused = addHere("sst2", 71);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("a remote lists v4294967295 of it"));
  EXPECT_TRUE(addHere("ner", 72));
}

TEST_F(AskedRemotesOf, APullTakesNoNumberThatAnotherRemoteGave) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  AskedRemotes known = AskedRemotes::load(ours_->folder()).value();
  known.note("far", {{"sst2", {{3, std::string(16, '0')}}}});
  ASSERT_TRUE(known.save(ours_->folder()));
  const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_FALSE(ours_->resolve("sst2:v3"));
  const auto here = ours_->resolve("sst2:v4");
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_EQ(here->contentDigest, theirs->resolve("sst2:v3")->contentDigest);
}

/// A remote that is named, and was never pushed to: nothing of it can be lost.
TEST_F(AskedRemotesOf, ANewRemoteIsNotTakenForALostOne) {
  RemoteList remotes = RemoteList::load(ours_->folder()).value();
  fs::create_directory(folder_ / "second");
  FolderTransport second(folder_ / "second");
  remotes.remotes.push_back({.name = "new", .url = second.url()});
  ASSERT_TRUE(remotes.save(ours_->folder()));
  const std::string text = test::readWhole(asked());
  test::writeWhole(asked(), "{");
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("verify --repair makes it anew")));
  ASSERT_TRUE(recoverVersions(*ours_, {}));
  EXPECT_EQ(test::readWhole(asked()), text);
  EXPECT_THAT(damages(), IsEmpty());
  test::writeWhole(asked(), "{");
  const auto pushed = push(*ours_, second, {.keptAs = "new"});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(damages(), IsEmpty());
}

/// An older copy, or what a kill left between the list and the numbers.
TEST_F(AskedRemotesOf, NumbersThatTheListsHaveAreAddedByARepair) {
  const std::string before = test::readWhole(asked());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  const std::string after = test::readWhole(asked());
  ASSERT_NE(before, after);
  test::writeWhole(asked(), before);
  EXPECT_THAT(damages(), IsEmpty()) << "earlier programs keep lists without them";
  const auto mended = recoverVersions(*ours_, {});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_TRUE(mended->numbersMade);
  EXPECT_EQ(test::readWhole(asked()), after);
  EXPECT_THAT(damages(), IsEmpty());
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v4");
}

TEST_F(AskedRemotesOf, AnAddGoesByAListThatIsNewerThanTheNumbers) {
  const std::string before = test::readWhole(asked());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  const std::string after = test::readWhole(asked());
  test::writeWhole(asked(), before);
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v4");
  EXPECT_EQ(test::readWhole(asked()), after);
  // Another name of the place has nothing new to say.
  EXPECT_EQ(labelOf(addHere("ner", 72)), "ner:v2");
  EXPECT_EQ(test::readWhole(asked()), after);
}

/// In a store of an earlier program, of which nobody can fetch.
TEST_F(AskedRemotesOf, ARepairGoesByWhatCanBeReadOfADamagedList) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 61);
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  fs::remove(asked());
  std::string list = test::readWhole(place("hub.json"));
  list[list.find("fetched_at") + 14] ^= 1;
  test::writeWhole(place("hub.json"), list);
  const auto refused = addHere("sst2", 71);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("without a network strata verify --repair"));
  const auto mended = recoverVersions(*ours_, {});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_TRUE(mended->numbersMade);
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v4") << "v3 is the remote's";
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("does not match its check"))) << "the list, still";
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_THAT(damages(), IsEmpty());
}

TEST_F(AskedRemotesOf, TheLossOfAllIsSaidWhereTheNumbersAreDamagedToo) {
  std::string text = test::readWhole(asked());
  const std::size_t at = text.find("\"check\":\"") + 12;
  text[at] = text[at] == '0' ? '1' : '0';
  test::writeWhole(asked(), text);
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("makes it anew"), HasSubstr("hub.json: is missing"),
                                     HasSubstr("hub.tags"), HasSubstr("hub.notes")));
  EXPECT_FALSE(push(*ours_, remote_, kPush));
  ASSERT_TRUE(recoverVersions(*ours_, {}));
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("hub.json: is missing"), HasSubstr("hub.tags"),
                                     HasSubstr("hub.notes")));
  EXPECT_FALSE(push(*ours_, remote_, kPush));
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_THAT(damages(), IsEmpty());
  // Where nothing tells any more, that is said.
  test::writeWhole(asked(), "{");
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("nothing is kept of hub, and whether that was lost "
                                               "is not known")));
}

/// A place that was only ever named by its URL.
class UnnamedRemote : public AskedRemotesOf {
 protected:
  void SetUp() override {
    LostList::SetUp();
    fs::remove_all(ours_->folder() / "remotes");
    fs::remove(asked());
    ASSERT_TRUE(push(*ours_, remote_, kByUrl));
    ASSERT_THAT(damages(), IsEmpty());
    for (const auto& entry : fs::directory_iterator(ours_->folder() / "remotes")) {
      if (entry.path().extension() == ".json") list_ = entry.path();
    }
    ASSERT_FALSE(list_.empty());
  }
  fs::path beside(const char* ending) const { return fs::path(list_).replace_extension(ending); }
  /// What a repair makes of it is whole, and a push goes on.
  void isMended(std::size_t asideCount) {
    const auto mended = recoverVersions(*ours_, {});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_THAT(mended->forgotten, SizeIs(asideCount));
    for (const fs::path& file : mended->forgotten) EXPECT_TRUE(fs::exists(file));
    EXPECT_THAT(damages(), IsEmpty());
    const auto pushed = push(*ours_, remote_, kByUrl);
    ASSERT_TRUE(pushed) << pushed.error().message;
    EXPECT_THAT(pushed->failed, IsEmpty());
    EXPECT_THAT(damages(), IsEmpty());
  }

  const PushOptions kByUrl{.keptAs = remote_.url()};
  fs::path list_;
};

TEST_F(UnnamedRemote, ItsDamagedListIsDamageThatARepairSetsAside) {
  fs::resize_file(list_, fs::file_size(list_) / 2);
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("does not match its check")));
  EXPECT_FALSE(push(*ours_, remote_, kByUrl));
  isMended(3);
  // Its numbers count on.
  EXPECT_EQ(labelOf(addHere("sst2", 71)), "sst2:v3");
}

TEST_F(UnnamedRemote, SoIsTheLossOfIt) {
  fs::remove(list_);
  EXPECT_THAT(damages(), ElementsAre(HasSubstr("is missing")));
  isMended(2);
}

TEST_F(UnnamedRemote, SoIsTheLossOfAll) {
  fs::remove_all(ours_->folder() / "remotes");
  EXPECT_THAT(damages(), SizeIs(3));
  EXPECT_FALSE(push(*ours_, remote_, kByUrl));
  isMended(0);
}

TEST_F(UnnamedRemote, SoIsWhatWasAgreedOn) {
  test::writeWhole(beside(".tags"), "{");
  EXPECT_THAT(damages(), SizeIs(1));
  isMended(0);
  fs::remove(beside(".notes"));
  EXPECT_THAT(damages(), SizeIs(1));
  isMended(0);
}

}  // namespace
}  // namespace strata::hub
