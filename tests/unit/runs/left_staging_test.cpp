// What a watcher that was killed had under names of its own.
#include <gmock/gmock.h>

#include "core/io/owned/owned_folder.h"
#include "core/ops/runs/detail/staged_checkpoint.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LeftStaging : public test::RunFixture {
 protected:
  /// Its trainer deletes the checkpoint while it is stored, and then the watcher is killed.
  void SetUp() override {
    writeCheckpoint(10);
    ASSERT_TRUE(watchOnce());
    writeCheckpoint(20);
    files_ = test::filesBelow(checkpoint(20));
    const fs::path path = checkpoint(20);
    const auto staged = StagedCheckpoint::make({.path = path, .step = 20, .stamp = stampOf(path)},
                                               folder_ / "spare", {});
    ASSERT_TRUE(staged) << staged.error().message;
    left_ = runFolder() / claimName(kStagingPrefix);
    fs::copy(staged->path().parent_path(), left_, fs::copy_options::recursive);
    fs::remove_all(path);
  }

  std::map<std::string, std::string> files_;
  fs::path left_;
};

TEST_F(LeftStaging, IsTakenInWhereNothingElseHasIt) {
  const auto watched = watchOnce();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
  EXPECT_FALSE(fs::exists(left_));
  const fs::path back = folder_ / "back";
  ASSERT_TRUE(restoreVersion(store(), {.reference = "run:v2", .target = back}, {}, {}));
  EXPECT_EQ(test::filesBelow(back), files_);
}

TEST_F(LeftStaging, GoesWhereItWasNotWhole) {
  fs::remove(left_ / "strata-whole.txt");
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
  EXPECT_FALSE(fs::exists(left_));
}

TEST_F(LeftStaging, GoesWhereTheTrainerHasIt) {
  fs::copy(left_ / "checkpoint-20", checkpoint(20), fs::copy_options::recursive);
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U);
  EXPECT_EQ(watched->known, 1U);
  EXPECT_FALSE(fs::exists(left_));
}

TEST_F(LeftStaging, StaysAndIsNamedWhereItIsRefused) {
  fs::remove(left_ / "checkpoint-20" / "rng_state.pth");
  for (int i = 0; i < 2; ++i) {
    said_.clear();
    const auto watched = watchOnce();
    ASSERT_TRUE(watched);
    EXPECT_EQ(watched->passed, 1U);
    EXPECT_THAT(said_, Contains(HasSubstr("nothing else has it")));
    EXPECT_TRUE(fs::exists(left_ / "checkpoint-20" / "optimizer.pt"));
  }
}

}  // namespace
}  // namespace strata
