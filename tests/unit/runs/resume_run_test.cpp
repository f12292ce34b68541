#include "core/ops/runs/resume_run.h"

#include <gmock/gmock.h>

#include "core/digest.h"
#include "core/ops/runs/list_runs.h"
#include "core/ops/versions/tags.h"
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

TEST_F(ResumedRun, OfOneVersionIsThatOneAndNoOther) {
  takeThree();
  const std::string hash = "@" + toHex(store().resolve("run:v1")->contentDigest).substr(0, 12);
  const auto of = [&](const std::string& reference, std::optional<std::uint64_t> step = {}) {
    fs::remove_all(folder_ / "again");
    return resume([&](ResumeOptions& options) {
      options.run = reference;
      options.step = step;
    });
  };
  for (const std::string& reference :
       {std::string("run:v1"), std::string("run:step-10"), std::string("run~2"), hash}) {
    const auto resumed = of(reference);
    ASSERT_TRUE(resumed) << reference << ": " << resumed.error().message;
    EXPECT_EQ(resumed->state.step, 10U) << reference;
    EXPECT_EQ(test::filesBelow(folder_ / "again"), test::filesBelow(checkpoint(10)));
    EXPECT_THAT(resumed->beside, IsEmpty());
  }
  EXPECT_EQ(of("run:v2", 20)->state.step, 20U);
  const auto other = of("run:v2", 30);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(other.error().message, "run:v2: is of step 20, and not of step 30");
  damage("run:v3");
  const auto damaged = of("run:v3");
  ASSERT_FALSE(damaged) << damaged->restored.version.label();
  EXPECT_EQ(damaged.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(damaged.error().message, HasSubstr("sound: steps 20, 10"));
  EXPECT_FALSE(fs::exists(folder_ / "again"));
}

/// Weights that somebody added to the run are no snapshot of it.
TEST_F(ResumedRun, OfAVersionThatIsNoSnapshotIsAnError) {
  takeThree();
  add("run", *test::makeModel(7));
  const auto none = resume([](ResumeOptions& options) { options.run = "run:v4"; });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_THAT(none.error().message, HasSubstr("is no snapshot"));
}

/// As two machines make them: the tag stays with the one that was there first.
TEST_F(ResumedRun, OfAStepIsTheOneWithItsTag) {
  takeThree();
  writeCheckpoint(20, 99);
  ASSERT_TRUE(snapshot(20));
  const auto byStep = [&] {
    fs::remove_all(folder_ / "again");
    return resume([](ResumeOptions& options) { options.step = 20; });
  };
  const auto later = byStep();
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(later->restored.version.label(), "run:v4");
  ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "step-20", .move = true}));
  const auto tagged = byStep();
  ASSERT_TRUE(tagged) << tagged.error().message;
  EXPECT_EQ(tagged->restored.version.label(), store().resolve("run:step-20")->label());
  EXPECT_EQ(tagged->restored.version.label(), "run:v2");
  ASSERT_EQ(tagged->beside.size(), 1U);
  EXPECT_EQ(tagged->beside.front().shown(), "run:v4, step 20");
}

/// As where a lazy pull brought manifests alone.
TEST_F(ResumedRun, FetchesWhatItTriesAndPassesOverWhatCannotBeHad) {
  takeThree();
  std::vector<std::string> asked;
  const auto fetching = [&](ErrorCode code) {
    asked.clear();
    fs::remove_all(folder_ / "again");
    return resume([&asked, code](ResumeOptions& options) {
      options.fetch = [&asked, code](const VersionEntry& version) -> Result<void> {
        asked.push_back(version.label());
        if (version.number > 2) return fail(code, "the remote has lost it");
        return {};
      };
    });
  };
  for (const ErrorCode code : {ErrorCode::NotFound, ErrorCode::CorruptData}) {
    const auto resumed = fetching(code);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(resumed->restored.version.label(), "run:v2");
    EXPECT_EQ(asked, (std::vector<std::string>{"run:v3", "run:v2"}));
    ASSERT_EQ(resumed->passed.size(), 1U);
    EXPECT_EQ(resumed->passed.front().why, "the remote has lost it");
  }
  // A line that is down may be up again: an older snapshot is not what is wanted.
  EXPECT_EQ(fetching(ErrorCode::Network).error().code, ErrorCode::Network);
}

TEST_F(ResumedRun, BeginsWithWhatTheListOfRunsNames) {
  takeThree();
  writeCheckpoint(40);
  for (const char* file : {"optimizer.pt", "scheduler.pt", "rng_state.pth"}) {
    fs::remove(checkpoint(40) / file);
  }
  ASSERT_TRUE(snapshot(40));
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->restored.version.label(), "run:v3");
  EXPECT_EQ(listRuns(store())->front().newest.version.label(), "run:v3");
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
