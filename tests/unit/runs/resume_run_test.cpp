#include "core/ops/runs/resume_run.h"

#include <gmock/gmock.h>

#include "core/digest.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ResumedRun : public test::RunFixture {
 protected:
  void takeThree() {
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
  }
  Result<ResumeReport> resume(const std::function<void(ResumeOptions&)>& change = {}) {
    ResumeOptions options{.run = "run", .target = folder_ / "again"};
    if (change) change(options);
    return resumeRun(store(), tools_, options, {}, {});
  }
  /// Nothing of ours is left beside the target.
  void expectNoLeftovers() {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
    }
  }
  void damage(const std::string& reference) {
    const std::string digest = toHex(store().resolve(reference)->manifestDigest);
    fs::path file;
    for (const auto& entry : fs::recursive_directory_iterator(storeFolder() / "objects")) {
      const std::string name =
          entry.path().parent_path().filename().string() + entry.path().filename().string();
      if (entry.is_regular_file() && name == digest) file = entry.path();
    }
    ASSERT_FALSE(file.empty());
    fs::permissions(file, fs::perms::owner_all);
    fs::resize_file(file, fs::file_size(file) / 2);
  }
};

TEST_F(ResumedRun, IsTheNewestSnapshot) {
  takeThree();
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v3");
  EXPECT_EQ(resumed->state.step, 30U);
  EXPECT_EQ(resumed->place, folder_ / "again");
  EXPECT_EQ(test::filesBelow(folder_ / "again"), test::filesBelow(checkpoint(30)));
  for (const fs::path& file : resumed->restored.files) EXPECT_TRUE(fs::exists(file)) << file;
  expectNoLeftovers();
}

TEST_F(ResumedRun, IsTheOneOfAStep) {
  takeThree();
  const auto resumed = resume([](ResumeOptions& options) { options.step = 20; });
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v2");
  const auto none = resume([](ResumeOptions& options) { options.step = 21; });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_THAT(none.error().message, HasSubstr("30, 20, 10"));
}

TEST_F(ResumedRun, PassesOverADamagedSnapshot) {
  takeThree();
  damage("run:v3");
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v2");
  ASSERT_EQ(resumed->passed.size(), 1U);
  EXPECT_EQ(resumed->passed.front().label, "run:v3");
  EXPECT_EQ(test::filesBelow(folder_ / "again"), test::filesBelow(checkpoint(20)));
  expectNoLeftovers();
}

TEST_F(ResumedRun, PassesOverWhatIsNoFinishedCheckpoint) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  writeCheckpoint(20);
  fs::remove(checkpoint(20) / "rng_state.pth");
  const auto torn = tools_.open(checkpoint(20));
  ASSERT_TRUE(torn);
  add("run", **torn);
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v1");
  ASSERT_EQ(resumed->passed.size(), 1U);
  EXPECT_EQ(resumed->passed.front().why, "rng_state.pth is not there");
}

TEST_F(ResumedRun, IsNotFoundWhereNoSnapshotIsComplete) {
  const auto none = resume();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  damage("run:v1");
  const auto damaged = resume();
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::CorruptData);
  EXPECT_FALSE(fs::exists(folder_ / "again"));
  expectNoLeftovers();
}

/// Whichever was stored first.
TEST_F(ResumedRun, IsTheOneThatWasTrainedFurthest) {
  for (const std::uint64_t step : {30U, 10U, 20U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(snapshot(step));
  }
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v1");
  ASSERT_EQ(resumed->beside.size(), 1U);
  EXPECT_EQ(resumed->beside.front().shown(), "run:v3, step 20");
}

TEST_F(ResumedRun, OfAStepThatIsDamagedSaysWhichAreSound) {
  takeThree();
  damage("run:v3");
  const auto damaged = resume([](ResumeOptions& options) { options.step = 30; });
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(damaged.error().message, HasSubstr("sound: steps 20, 10"));
}

TEST_F(ResumedRun, ReplacesFilesOfAFolderOnlyWhenForced) {
  takeThree();
  fs::create_directory(folder_ / "again");
  test::writeWhole(folder_ / "again" / "optimizer.pt", "torn");
  const auto refused = resume();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(test::readWhole(folder_ / "again" / "optimizer.pt"), "torn");
  const auto forced = resume([](ResumeOptions& options) { options.force = true; });
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_EQ(forced->place, folder_ / "again");
  EXPECT_EQ(test::filesBelow(folder_ / "again"), test::filesBelow(checkpoint(30)));
  expectNoLeftovers();
}

/// Other runs, a project, a store: none of that is the snapshot's.
TEST_F(ResumedRun, LeavesWhatElseIsInAFolder) {
  takeThree();
  const fs::path again = folder_ / "again";
  fs::create_directories(again / "other" / "deep");
  test::writeWhole(again / "notes.txt", "mine");
  test::writeWhole(again / "optimizer.pt", "torn");
  const auto force = [](ResumeOptions& options) { options.force = true; };
  const auto mixed = resume(force);
  ASSERT_TRUE(mixed) << mixed.error().message;
  EXPECT_EQ(test::readWhole(again / "optimizer.pt"),
            test::readWhole(checkpoint(30) / "optimizer.pt"));
  EXPECT_EQ(test::readWhole(again / "notes.txt"), "mine");
  EXPECT_TRUE(fs::is_directory(again / "other" / "deep"));
  fs::remove_all(again / "other");
  const auto whole = resume(force);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(test::readWhole(again / "notes.txt"), "mine");
  expectNoLeftovers();
}

TEST_F(ResumedRun, OverTheFolderOfTheStoreLeavesTheStore) {
  takeThree();
  const auto into = [&](ResumeOptions& options) {
    options.force = true;
    options.target = storeFolder().parent_path();
  };
  const auto resumed = resume(into);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_TRUE(store().resolve("run:v3"));
  EXPECT_TRUE(fs::is_directory(storeFolder() / "objects"));
  EXPECT_TRUE(fs::exists(storeFolder().parent_path() / "optimizer.pt"));
}

TEST_F(ResumedRun, NeverTakesAFilesPlaceForAFolder) {
  takeThree();
  test::writeWhole(folder_ / "again", "a file");
  const auto refused = resume([](ResumeOptions& options) { options.force = true; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("needs a folder"));
  EXPECT_EQ(test::readWhole(folder_ / "again"), "a file");
  expectNoLeftovers();
}

TEST_F(ResumedRun, IntoALinkedFolderKeepsTheLink) {
  takeThree();
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink(folder_ / "real", folder_ / "again");
  const auto resumed = resume([](ResumeOptions& options) { options.force = true; });
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_TRUE(fs::is_symlink(folder_ / "again"));
  EXPECT_EQ(test::filesBelow(folder_ / "real"), test::filesBelow(checkpoint(30)));
  expectNoLeftovers();
}

TEST_F(ResumedRun, OfOneFileIsThatFile) {
  writeCheckpoint(10);
  const fs::path file = runFolder() / "epoch=1-step=10.ckpt";
  fs::rename(checkpoint(10) / "optimizer.pt", file);
  ASSERT_TRUE(takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = file}, {}, {}));
  fs::create_directory(folder_ / "into");
  const auto resumed = resume([&](ResumeOptions& options) { options.target = folder_ / "into"; });
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->state.kind, CheckpointKind::Lightning);
  const fs::path placed = folder_ / "into" / "epoch=1-step=10.ckpt";
  EXPECT_EQ(test::readWhole(placed), test::readWhole(file));
  fs::remove(placed);
  fs::create_directories(placed / "mine");
  const auto refused = resume([&](ResumeOptions& options) {
    options.target = folder_ / "into";
    options.force = true;
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(fs::is_directory(placed / "mine"));
  test::writeWhole(folder_ / "other.ckpt", "torn");
  const auto replaced = resume([&](ResumeOptions& options) {
    options.target = folder_ / "other.ckpt";
    options.force = true;
  });
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(test::readWhole(folder_ / "other.ckpt"), test::readWhole(file));
}

}  // namespace
}  // namespace strata
