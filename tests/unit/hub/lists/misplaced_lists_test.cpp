#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/fetch_remote.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Something else lies where a file of a list should.
class MisplacedList : public LostList {};

TEST_F(MisplacedList, IsPassedOverByARepair) {
  for (const bool isFolder : {true, false}) {
    const std::uint64_t number = list().generation;
    fs::remove(listFile(number));
    if (isFolder) {
      fs::create_directory(listFile(number));
    } else {
      fs::create_symlink("nowhere", listFile(number));
    }
    expectRefused(isFolder ? "is a folder" : "is a link to nothing");
    const auto mended = push(*ours_, remote_, kRepair);
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_THAT(mended->failed, IsEmpty());
    EXPECT_GT(list().generation, number);
    EXPECT_EQ(list().refs, whole_);
    EXPECT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  }
}

TEST_F(MisplacedList, ThatAStoreKeepsIsSetAsideByAFetch) {
  const fs::path kept = ours_->folder() / "remotes" / "hub.json";
  fs::remove(kept);
  fs::create_directory(kept);
  const auto refused = push(*ours_, remote_, kPush);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(refused.error().message, HasSubstr("is a folder"));
  EXPECT_THAT(refused.error().message, HasSubstr("fetch takes what it lists now"));
  EXPECT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_TRUE(fs::is_directory(kept.string() + ".damaged"));
  EXPECT_TRUE(push(*ours_, remote_, kPush));
  fs::remove(kept);
  fs::create_symlink("nowhere", kept);
  EXPECT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_TRUE(push(*ours_, remote_, kPush));
}

/// Folders that a copy left out, and what lies in the place of objects.
class MisplacedObject : public MisplacedList {
 protected:
  fs::path remotePlace(const char* name) const { return folder_ / "remote" / name; }

  void expectMended() {
    const RemoteVerifyReport report = verify();
    EXPECT_FALSE(report.damages.empty());
    const PushReport mended = repair();
    EXPECT_THAT(mended.failed, IsEmpty());
    EXPECT_THAT(verify().damages, IsEmpty());
    EXPECT_EQ(sharedObjects(*ours_), 8U);
    EXPECT_TRUE(collect());
    EXPECT_EQ(sharedObjects(*ours_), 8U);
  }
};

TEST_F(MisplacedObject, FoldersThatAreGoneAreMadeAgain) {
  fs::remove(remotePlace("tmp"));
  add(*ours_, "ner", 77);
  const auto pushed = push(*ours_, remote_, kPush);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, IsEmpty());
  whole_ = list().refs;
  fs::remove_all(remotePlace("refs"));
  EXPECT_FALSE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_EQ(list().refs, whole_);
  fs::remove_all(remotePlace("objects"));
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_THAT(verify().damages, IsEmpty());
}

TEST_F(MisplacedObject, GcMakesTheFolderThatItNeeds) {
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}, .keptAs = "hub"}, {}));
  fs::remove(remotePlace("tmp"));
  const std::size_t before = sharedObjects(*ours_);
  const auto collected = collect();
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_LT(sharedObjects(*ours_), before);
}

TEST_F(MisplacedObject, AFolderIsMovedAwayByARepair) {
  const fs::path object = remotePath(ours_->resolve("ner")->manifestDigest);
  fs::remove(object);
  fs::create_directory(object);
  test::writeWhole(object / "mine", "precious");
  expectMended();
  for (const auto& entry : fs::directory_iterator(object.parent_path())) {
    if (!entry.is_directory()) continue;
    EXPECT_EQ(test::readWhole(entry.path() / "mine"), "precious");
  }
  EXPECT_TRUE(fs::is_regular_file(object));
}

TEST_F(MisplacedObject, SoIsAFileInThePlaceOfAFolderOfObjects) {
  const fs::path folder = remotePath(ours_->resolve("ner")->manifestDigest).parent_path();
  fs::remove_all(folder);
  test::writeWhole(folder, "precious");
  const auto pulled = pull(*makeStore("theirs"), remote_);
  EXPECT_TRUE(!pulled || !pulled->failed.empty());
  expectMended();
  EXPECT_TRUE(fs::is_directory(folder));
}

TEST_F(MisplacedObject, AFileInThePlaceOfTheListsSaysWhatToDo) {
  fs::rename(remotePlace("refs"), folder_ / "elsewhere");
  test::writeWhole(remotePlace("refs"), "precious");
  const auto refused = push(*ours_, remote_, kRepair);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(refused.error().message, HasSubstr("move it away"));
  fs::remove(remotePlace("refs"));
  EXPECT_THAT(repair().failed, IsEmpty());
  EXPECT_EQ(list().refs, whole_);
}

}  // namespace
}  // namespace strata::hub
