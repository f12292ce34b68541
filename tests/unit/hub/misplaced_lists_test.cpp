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

}  // namespace
}  // namespace strata::hub
