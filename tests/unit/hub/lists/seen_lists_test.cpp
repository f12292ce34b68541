// Which lists of a remote a store has seen: what a mending push marks, and which marks it lifts.
#include "core/ops/care/verify_store.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The remote of LostList: list 1 of the base, list 2 of all versions. `early_` saw list 1 alone.
class SeenLists : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    early_ = makeEarly("early");
  }
  /// A store that has seen only the first list.
  std::unique_ptr<Store> makeEarly(const std::string& name) {
    auto store = makeStore(name);
    importBase(*store);
    const std::string second = test::readWhole(listFile(2));
    fs::remove(listFile(2));
    EXPECT_TRUE(fetchRemote(*store, *connect(), "hub", {}));
    test::writeWhole(listFile(2), second);
    return store;
  }
  std::unique_ptr<FolderTransport> connect() const {
    return std::make_unique<FolderTransport>(folder_ / "remote");
  }
  PushReport mendBy(Store& store) {
    auto report = push(store, *connect(), kRepair);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PushReport{});
  }
  std::vector<std::string> failuresOf(const PushReport& report) const {
    std::vector<std::string> labels;
    for (const FailedTransfer& one : report.failed) labels.push_back(one.label);
    return labels;
  }
  RefListing now() const { return connect()->readRefs({}).value(); }
  void damage(std::uint64_t number) const {
    fs::resize_file(listFile(number), fs::file_size(listFile(number)) - 30);
  }
  Result<RemoteGarbageReport> collectAs(const Store& store, bool acceptLost = false,
                                        std::int64_t graceSeconds = 0,
                                        const std::string& keptAs = "hub") const {
    return collectRemoteGarbage(
        store, *connect(),
        {.dryRun = false, .graceSeconds = graceSeconds, .keptAs = keptAs, .acceptLost = acceptLost},
        {}, {});
  }
  /// The remote is known under these names.
  void name(const Store& store, const std::vector<std::string>& names) const {
    RemoteList remotes;
    for (const std::string& one : names) {
      remotes.remotes.push_back({.name = one, .url = remote_.url()});
    }
    ASSERT_TRUE(remotes.save(store.folder()));
  }
  void expectBack(const Result<FetchReport>& fetched, const std::string& why) const {
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(fetched.error().message, HasSubstr(why));
  }
  std::unique_ptr<Store> early_;
};

TEST_F(SeenLists, AllThatWerePassedOverAreMarked) {
  const auto third = makeEarly("third");
  damage(2);
  EXPECT_THAT(failuresOf(mendBy(*early_)), ElementsAre("list 2"));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  damage(3);  // which says that list 2 was lost
  EXPECT_THAT(failuresOf(mendBy(*third)), ElementsAre("list 2", "list 3"));
  EXPECT_THAT(now().unseen, ElementsAre(2, 3));
  ASSERT_TRUE(push(*early_, *connect(), kPush)) << "it saw list 3";
  EXPECT_THAT(now().unseen, ElementsAre(2));
  EXPECT_GT(collectAs(*early_)->withheldObjects, 0U);
  EXPECT_THAT(mendBy(*ours_).failed, IsEmpty());
  EXPECT_THAT(now().unseen, IsEmpty());
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
}

TEST_F(SeenLists, OfAnotherRemoteWithHigherNumbersAreNotSeen) {
  fs::remove_all(folder_ / "remote");
  ASSERT_TRUE(push(*early_, *connect(), {.create = true, .keptAs = "hub"}));
  for (unsigned i = 0; i < 3; ++i) {
    add(*early_, "early", 70 + i);
    ASSERT_TRUE(push(*early_, *connect(), kPush));
  }
  const std::uint64_t seen = readFetched(early_->folder(), "hub").value()->listing.generation;
  fs::remove_all(folder_ / "remote");
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  ASSERT_TRUE(push(*theirs, *connect(), {.create = true, .keptAs = "hub"}));
  add(*theirs, "theirs", 80);
  ASSERT_TRUE(push(*theirs, *connect(), kPush));
  ASSERT_LT(now().generation, seen);
  damage(2);
  EXPECT_THAT(failuresOf(mendBy(*early_)), ElementsAre("list 2"));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  const auto kept = collectAs(*early_);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(kept->freed, IsEmpty());
  EXPECT_GT(kept->withheldObjects, 0U);
  expectBack(fetchRemote(*theirs, *connect(), "hub", {}), "was mended since");
}

TEST_F(SeenLists, AreRememberedAsLongAsAMarkNamesThem) {
  damage(2);
  mendBy(*early_);
  // All that ours saw is there again, and the mark is not lifted.
  const auto second = makeFullStore("second");
  ASSERT_TRUE(push(*second, *connect(), {.keptAs = "hub"}));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  ASSERT_TRUE(pull(*ours_, *connect(), {.keptAs = "hub"}));
  add(*second, "more", 90);
  ASSERT_TRUE(push(*second, *connect(), kPush));
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  ASSERT_TRUE(push(*ours_, *connect(), kPush));
  EXPECT_THAT(now().unseen, IsEmpty());
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  EXPECT_THAT(readFetched(ours_->folder(), "hub").value()->listing.found, IsEmpty());
}

TEST_F(SeenLists, AreGivenUpWhereNothingIsOldEnoughToGo) {
  damage(2);
  mendBy(*early_);
  constexpr std::int64_t kDay = 86'400;
  const auto kept = collectAs(*early_, true, kDay);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(kept->freed, IsEmpty());
  EXPECT_GT(kept->youngObjects, 0U);
  EXPECT_THAT(now().unseen, IsEmpty());
  EXPECT_THAT(collectAs(*early_)->lostLists, IsEmpty());
}

TEST_F(SeenLists, ThatOthersGaveTheSameNumberAndPassedAreNoticed) {
  fs::remove(listFile(2));
  for (unsigned i = 0; i < 2; ++i) {
    add(*early_, "early", 70 + i);
    ASSERT_TRUE(push(*early_, *connect(), kPush));
  }
  ASSERT_GT(now().generation, 2U);
  expectRefused("says something else");
  EXPECT_THAT(mendBy(*ours_).failed, IsEmpty());
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
  EXPECT_TRUE(now().refs.contains("early/v2"));
  EXPECT_TRUE(verify().sound());
}

TEST_F(SeenLists, ThatWereLostKeepTheirNumbers) {
  fs::remove(listFile(1));
  fs::remove(listFile(2));
  ASSERT_TRUE(push(*early_, *connect(), {.create = true, .keptAs = "hub"}));
  EXPECT_EQ(now().generation, 2U) << "above the one that it saw";
  add(*early_, "early", 70);
  ASSERT_TRUE(push(*early_, *connect(), kPush));
  expectRefused("says something else");
}

TEST_F(SeenLists, WhoseVersionsWereRemovedSinceRaiseNoAlarm) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, *connect(), {.keptAs = "hub"}));
  ASSERT_TRUE(
      removeRemoteVersions(*theirs, *connect(), {.references = {"sst2:v2"}, .keptAs = "hub"}, {}));
  EXPECT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  EXPECT_FALSE(now().refs.contains("sst2/v2"));
}

TEST_F(SeenLists, AreCountedFromTheFirstInAPlaceThatWasPrepared) {
  for (const std::uint64_t number : {1, 2}) fs::remove(listFile(number));
  forgetFetched(ours_->folder(), "hub");
  const auto sent = push(*ours_, *connect(), kPush);
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_EQ(now().generation, 1U);
  EXPECT_EQ(readFetched(ours_->folder(), "hub").value()->listing.identity, now().identity);
  fs::remove(listFile(1));
  expectBack(fetchRemote(*ours_, *connect(), "hub", {}), "the newest list was lost");
}

TEST_F(SeenLists, CountForAllNamesOfOnePlace) {
  name(*ours_, {"hub", "second"});
  fs::remove(listFile(2));
  expectBack(fetchRemote(*ours_, *connect(), "second", {}), "the newest list was lost");
  EXPECT_FALSE(collectAs(*ours_, false, 0, "second"));
  EXPECT_FALSE(collectAs(*ours_, false, 0, remote_.url()));
  // Under another name it is asked in vain, too, and taken as it is where the user says so.
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "second", {}, {.acceptOlder = true}));
}

TEST_F(SeenLists, CountForANameThatWasGivenAnew) {
  name(*ours_, {"hub"});
  fs::remove(listFile(2));
  setFetchedAside(ours_->folder(), "hub", remote_.url());
  EXPECT_FALSE(fs::exists(ours_->folder() / "remotes" / "hub.json"));
  expectBack(fetchRemote(*ours_, *connect(), "hub", {}), "the newest list was lost");
  ASSERT_TRUE(push(*ours_, *connect(), kRepair));
  EXPECT_EQ(now().refs, whole_);
  EXPECT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
}

TEST_F(SeenLists, ThatAreLostHereAreMissed) {
  name(*ours_, {"hub"});
  fs::remove(ours_->folder() / "remotes" / "hub.json");
  const auto report = verifyStore(*ours_, {}, {}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->damages.size(), 1U);
  EXPECT_THAT(report->damages[0].reason, HasSubstr("is missing"));
  fs::remove(listFile(2));
  EXPECT_FALSE(collectAs(*ours_));
  EXPECT_FALSE(push(*ours_, *connect(), kPush));
  const auto fetched = fetchRemote(*ours_, *connect(), "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, ElementsAre(HasSubstr("is not known")));
  EXPECT_TRUE(verifyStore(*ours_, {}, {}, {})->sound());
}

}  // namespace
}  // namespace strata::hub
