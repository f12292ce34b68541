// Numbers of lists that were given twice: a mark goes only with what shows whose list it is of.
#include "core/ops/exchange/detail/kept/seen_lists.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// List 1 of the base, list 2 of all versions. `ours_` has seen the second, the others the first.
class OwnLists : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    theirs_ = makeStore("theirs");
    third_ = makeStore("third");
    const std::string second = test::readWhole(listFile(2));
    fs::remove(listFile(2));
    for (Store* const store : {theirs_.get(), third_.get()}) {
      importBase(*store);
      ASSERT_TRUE(fetchRemote(*store, *connect(), "hub", {}));
    }
    test::writeWhole(listFile(2), second);
  }
  std::unique_ptr<FolderTransport> connect() const {
    return std::make_unique<FolderTransport>(folder_ / "remote");
  }
  RefListing now() const { return connect()->readRefs({}).value(); }
  std::vector<std::string> mendBy(Store& store) const {
    const auto report = push(store, *connect(), kRepair);
    EXPECT_TRUE(report) << report.error().message;
    std::vector<std::string> labels;
    if (!report) return labels;
    for (const FailedTransfer& one : report->failed) labels.push_back(one.label);
    return labels;
  }
  void cut(std::uint64_t number, std::uint64_t bytes) const {
    fs::resize_file(listFile(number), fs::file_size(listFile(number)) - bytes);
  }
  /// The second list is lost, its number given to theirs, and that list cannot be read.
  void giveTwice() {
    fs::remove(listFile(2));
    add(*theirs_, "theirs", 70);
    ASSERT_TRUE(push(*theirs_, *connect(), kPush));
    ASSERT_EQ(now().generation, 2U);
    cut(2, 30);
  }
  void expectWithheld() {
    const auto kept = collect();
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_THAT(kept->freed, IsEmpty());
    EXPECT_GT(kept->withheldObjects, 0U);
  }
  std::unique_ptr<Store> theirs_;
  std::unique_ptr<Store> third_;
};

TEST_F(OwnLists, AMarkStaysWhereAnotherListHasTheNumber) {
  giveTwice();
  EXPECT_THAT(mendBy(*ours_), ElementsAre("list 2"));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
  expectWithheld();
  EXPECT_THAT(mendBy(*theirs_), IsEmpty());
  EXPECT_THAT(now().unseen, IsEmpty());
  EXPECT_TRUE(now().refs.contains("theirs/v1"));
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
}

TEST_F(OwnLists, AMarkOfAnotherStoreStaysWhereAnotherListHasTheNumber) {
  giveTwice();
  EXPECT_THAT(mendBy(*third_), ElementsAre("list 2"));
  mendBy(*ours_);
  EXPECT_THAT(now().unseen, ElementsAre(2));
  expectWithheld();
  ASSERT_TRUE(push(*ours_, *connect(), kPush));
  EXPECT_THAT(now().unseen, ElementsAre(2));
}

TEST_F(OwnLists, AMarkStaysWhereTheListIsGone) {
  giveTwice();
  EXPECT_THAT(mendBy(*third_), ElementsAre("list 2"));
  fs::remove(listFile(2));
  mendBy(*ours_);
  EXPECT_THAT(now().unseen, ElementsAre(2));
  expectWithheld();
}

TEST_F(OwnLists, AreKnownByWhatTheySay) {
  const std::string second = test::readWhole(listFile(2));
  std::string flipped = second;
  flipped[flipped.find("ner/v1") + 60] ^= 1;
  int count = 0;
  for (const std::string& damaged :
       {second.substr(0, second.size() - 30), second.substr(0, second.find("sst2/v1")), flipped}) {
    for (const fs::directory_entry& list : fs::directory_iterator(folder_ / "remote" / "refs")) {
      if (generationOf(list.path().filename().string()) > 2) fs::remove(list.path());
    }
    forgetFetched(ours_->folder(), "hub");
    test::writeWhole(listFile(2), second);
    ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
    test::writeWhole(listFile(2), damaged);
    const auto other = makeStore("other" + std::to_string(++count));
    EXPECT_THAT(mendBy(*other), ElementsAre("list 2"));
    EXPECT_THAT(now().unseen, ElementsAre(2));
    EXPECT_THAT(mendBy(*ours_), IsEmpty());
    EXPECT_THAT(now().unseen, IsEmpty());
    for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
  }
}

TEST_F(OwnLists, ThatAreEmptyAreKnownByWhatLiesThere) {
  fs::resize_file(listFile(2), 0);
  EXPECT_THAT(mendBy(*third_), ElementsAre("list 2"));
  EXPECT_THAT(mendBy(*ours_), IsEmpty());
  EXPECT_THAT(now().unseen, IsEmpty());
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(now().refs.contains(ref)) << ref;
}

TEST_F(OwnLists, ThatAreEmptyStayMarkedWhereMoreLiesThere) {
  giveTwice();
  fs::resize_file(listFile(2), 0);
  EXPECT_THAT(mendBy(*ours_), ElementsAre("list 2"));
  EXPECT_THAT(now().unseen, ElementsAre(2));
  expectWithheld();
}

TEST_F(OwnLists, InPagesAreKnownByAPageOfTheirOwn) {
  RefListing known;
  known.generation = 7;
  known.check = std::string(kStampDigits, 'c');
  known.pages = {{.number = 3, .digest = sha256({}), .byteCount = 5},
                 {.number = 7, .digest = sha256(std::as_bytes(std::span("own"))), .byteCount = 9}};
  const auto line = [](const RefPage& page) {
    return fmt::format("[{},\"{}\",{}]", page.number, toHex(page.digest), page.byteCount);
  };
  const std::string begin = "{\"format\":3,\"refs\":{},\"pages\":[\n";
  const RefListing there;
  const std::string first = begin + line(known.pages[0]);
  EXPECT_FALSE(isListSeen(known, there, first));
  EXPECT_TRUE(isListSeen(known, there, first + ",\n" + line(known.pages[1])));
  EXPECT_TRUE(isListSeen(known, there, first + ",\"check\":\"" + known.check + "0123\"}\n"));
  const std::string other = std::string(kStampDigits, 'd');
  EXPECT_FALSE(isListSeen(known, there, first + ",\"check\":\"" + other + "0123\"}\n"));
}

}  // namespace
}  // namespace strata::hub
