// Lists that say which lists they follow: what was lost is told from what was taken off.
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/store/store_writer.h"
#include "core/transfer/ref_index.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two lists, of the base and of all versions; `ours_` has seen the second, `theirs_` the first.
class FollowingLists : public LostList {
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
  void pushBy(Store& store) {
    const auto pushed = push(store, *connect(), kPush);
    ASSERT_TRUE(pushed) << pushed.error().message;
  }
  /// The newest list is lost, and theirs pushes so many times.
  void lose(unsigned pushes, const std::string& name = "theirs") {
    fs::remove(listFile(2));
    for (unsigned i = 0; i < pushes; ++i) {
      add(*theirs_, name, 100 + i);
      pushBy(*theirs_);
    }
  }
  /// As earlier programs leave it: it does not say which lists it follows.
  void forgetBefore(std::uint64_t number) const {
    const std::string text = test::readWhole(listFile(number));
    const std::size_t from = text.rfind(",\"before\"");
    const std::size_t to = text.rfind(",\"number\"");
    test::writeWhole(listFile(number), text.substr(0, from) + test::unchecked(text.substr(to)));
  }
  std::unique_ptr<Store> theirs_;
};

TEST_F(FollowingLists, NameThoseThatTheyDescendFrom) {
  const RefListing second = now();
  ASSERT_TRUE(second.follows);
  ASSERT_EQ(second.follows->size(), 1U);
  EXPECT_EQ(second.follows->front().number, 1U);
  EXPECT_EQ(second.check.size(), kStampDigits);
  pushBy(*ours_);
  add(*ours_, "late", 50);
  pushBy(*ours_);
  const RefListing third = now();
  ASSERT_TRUE(third.follows);
  EXPECT_THAT(*third.follows, ElementsAre(ListStamp{2, second.check}, second.follows->front()));
  const auto kept = readFetched(ours_->folder(), "hub").value();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->listing.check, third.check) << "what was pushed is known without asking";
  EXPECT_EQ(kept->listing.follows, third.follows);
}

TEST_F(FollowingLists, NameAtMostSoMany) {
  std::vector<ListStamp> many;
  for (std::uint64_t i = 1; i <= 300; ++i) many.push_back({i, std::string(kStampDigits, 'a')});
  const auto joined = joinStamps(many, many);
  ASSERT_EQ(joined.size(), kMaxBefore);
  EXPECT_EQ(joined.front().number, 300U);
  EXPECT_EQ(joined.back().number, 45U);
}

TEST_F(FollowingLists, AreRefusedWhereTheyDoNotSayWhichTheyFollow) {
  RefIndex index;
  index.follows = {{1, std::string(kStampDigits, 'a')}};
  const std::string text = serializeNumbered(index, 2).value();
  ASSERT_TRUE(parseRefHead(text, "it"));
  for (const char* const bad : {"[7]", "[[2,\"x\"]]", "[[0,\"\"]]", "{}", "7"}) {
    const std::size_t from = text.rfind("\"before\":") + 9;
    const std::string other =
        test::unchecked(text.substr(0, from) + bad + text.substr(text.rfind(",\"number\"")));
    EXPECT_FALSE(parseRefHead(other, "it")) << bad;
  }
}

TEST_F(FollowingLists, TellAVersionThatWasLostWhereAnotherContentHasItsName) {
  lose(3, "sst2");
  expectRefused("was lost, and others have pushed since");
}

TEST_F(FollowingLists, TellItAfterTheListOfItsNumberIsGone) {
  lose(3);
  fs::remove(listFile(2));
  expectRefused("was lost, and others have pushed since");
}

TEST_F(FollowingLists, TellItWhereTheListOfItsNumberCannotBeRead) {
  lose(3);
  fs::resize_file(listFile(2), 60);
  expectRefused("was lost, and others have pushed since");
}

TEST_F(FollowingLists, TellItWhileSoManyWerePushed) {
  lose(70);
  EXPECT_FALSE(fs::exists(listFile(2))) << "it went, as old lists do";
  expectRefused("was lost, and others have pushed since");
}

TEST_F(FollowingLists, BringBackAllWithAMend) {
  lose(2);
  EXPECT_THAT(repair().failed, IsEmpty());
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
  EXPECT_TRUE(now().refs.contains("theirs/v2"));
  EXPECT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  EXPECT_TRUE(fetchRemote(*theirs_, *connect(), "hub", {}));
  EXPECT_TRUE(collect());
}

TEST_F(FollowingLists, SayThatOthersMendedWhatAStoreSaw) {
  const auto second = makeStore("second");
  ASSERT_TRUE(pull(*second, *connect(), {.keptAs = "hub"}));
  lose(2);
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_TRUE(fetchRemote(*second, *connect(), "hub", {})) << "the new list follows the lost one";
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}, .keptAs = "hub"}, {}));
  EXPECT_TRUE(fetchRemote(*second, *connect(), "hub", {}));
}

TEST_F(FollowingLists, RaiseNoAlarmWhereAllWasPushedAgain) {
  const auto second = makeFullStore("second");
  fs::remove(listFile(2));
  pushBy(*theirs_);
  const auto pushed = push(*second, *connect(), {.keptAs = "hub"});
  ASSERT_TRUE(pushed);
  add(*second, "more", 80);
  pushBy(*second);
  const auto fetched = fetchRemote(*ours_, *connect(), "hub", {});
  EXPECT_TRUE(fetched) << fetched.error().message;
}

TEST_F(FollowingLists, LetWhatWasTakenOffGo) {
  ASSERT_TRUE(pull(*theirs_, *connect(), {.keptAs = "hub"}));
  ASSERT_TRUE(
      removeRemoteVersions(*theirs_, remote_, {.references = {"ner:v1"}, .keptAs = "hub"}, {}));
  ASSERT_TRUE(removeVersions(*theirs_, {.references = {"ner:v1"}}));
  for (unsigned i = 0; i < 70; ++i) {
    add(*theirs_, "theirs", 100 + i);
    pushBy(*theirs_);
  }
  const auto fetched = fetchRemote(*ours_, *connect(), "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, IsEmpty());
}

TEST_F(FollowingLists, KeepATagThatWasMovedAndANoteThatWasWritten) {
  ASSERT_TRUE(pull(*theirs_, *connect(), {.keptAs = "hub"}));
  ASSERT_TRUE(editNote(*ours_, {.reference = "sst2:v1", .text = "ours"}));
  ASSERT_TRUE(ours_->lock("test").value()->putTags({TagRef{"sst2", "prod", 1, {}, 4'000'000'000}}));
  pushBy(*ours_);
  ASSERT_EQ(now().generation, 3U);
  fs::remove(listFile(3));
  for (unsigned i = 0; i < 2; ++i) {
    add(*theirs_, "theirs", 100 + i);
    pushBy(*theirs_);
  }
  EXPECT_FALSE(pull(*ours_, *connect(), {.keptAs = "hub"}));
  EXPECT_EQ(ours_->resolve("sst2:v1")->note, "ours");
  EXPECT_EQ(ours_->refs().readTag("sst2", "prod")->number, 1U);
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_EQ(parseRemoteVersion("sst2/v1", now().refs.at("sst2/v1"))->ref.note, "ours");
  EXPECT_EQ(parseRemoteTag("sst2/tags/prod", now().refs.at("sst2/tags/prod"))->number, 1U);
}

TEST_F(FollowingLists, BringBackUnderAnotherNumberWhatAStoreGaveUp) {
  ASSERT_TRUE(removeVersions(*ours_, {.references = {"ner:v1"}, .now = true}));
  lose(1, "ner");
  EXPECT_FALSE(fetchRemote(*ours_, *connect(), "hub", {}));
  EXPECT_THAT(repair().failed, IsEmpty());
  const RefListing after = now();
  ASSERT_TRUE(after.refs.contains("ner/v2"));
  EXPECT_EQ(parseRemoteVersion("ner/v2", after.refs.at("ner/v2"))->ref.contentDigest,
            parseRemoteVersion("ner/v1", whole_.at("ner/v1"))->ref.contentDigest);
  EXPECT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  ASSERT_TRUE(collect());
  EXPECT_TRUE(verify().sound());
}

TEST_F(FollowingLists, OfEarlierProgramsRaiseAnAlarmAsBefore) {
  lose(2);
  forgetBefore(3);
  EXPECT_FALSE(fetchRemote(*ours_, *connect(), "hub", {})) << "list 2 is another one";
}

TEST_F(FollowingLists, ThatBeginLaterLeaveItInDoubt) {
  ASSERT_TRUE(removeVersions(*ours_, {.references = {"ner:v1"}, .now = true}));
  lose(2);
  forgetBefore(3);
  fs::remove(listFile(2));
  add(*theirs_, "theirs", 300);
  pushBy(*theirs_);  // list 4 follows list 3 alone
  const auto fetched = fetchRemote(*ours_, *connect(), "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, ElementsAre(HasSubstr("removed or lost")));
  pushBy(*ours_);
  const auto kept = collect();
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(kept->freed, IsEmpty());
  EXPECT_GE(kept->withheldObjects, 2U) << "and their signatures";
  EXPECT_THAT(kept->lostVersions, ElementsAre("ner:v1"));
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true}));
  EXPECT_GE(collect()->freed.size(), 2U);
}

TEST_F(FollowingLists, OfAnotherRemoteInItsPlaceAreDamage) {
  FolderTransport other(folder_ / "other");
  const auto stranger = makeStore("stranger");
  importBase(*stranger);
  for (unsigned i = 0; i < 3; ++i) {
    add(*stranger, "stranger", 200 + i);
    ASSERT_TRUE(push(*stranger, other));
  }
  fs::copy(folder_ / "other", folder_ / "remote",
           fs::copy_options::recursive | fs::copy_options::skip_existing);
  ASSERT_EQ(now().generation, 3U);
  const auto refused = fetchRemote(*theirs_, *connect(), "hub", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("copied that remote into its place"));
}

}  // namespace
}  // namespace strata::hub
