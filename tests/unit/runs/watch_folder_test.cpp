#include "core/ops/runs/watch_folder.h"

#include <gmock/gmock.h>

#include "core/io/owned/owned_folder.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "onnx_io/checkpoint/finished_check.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WatchedRun : public test::RunFixture {
 protected:
  std::size_t entriesOfRunFolder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(runFolder()), {}));
  }
  /// Runs `deed` once when a checkpoint was found finished and is about to be stored.
  void whenStaged(std::function<void()> deed) {
    tools_.check = [check = tools_.check, deed = std::move(deed),
                    isDone = false](const fs::path& path) mutable {
      auto state = check(path);
      const bool isStaged = path.string().find(".strata-watch") != std::string::npos;
      if (isStaged && !std::exchange(isDone, true)) deed();
      return state;
    };
  }
};

TEST_F(WatchedRun, IsTakenInTheOrderOfItsSteps) {
  for (const std::uint64_t step : {1000U, 200U, 30U}) writeCheckpoint(step);
  fs::create_directory(runFolder() / "runs");  // of tensorboard
  test::writeWhole(runFolder() / "model.safetensors", "the last one");
  const auto watched = watchOnce();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 3U);
  EXPECT_EQ(watched->passed, 0U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-30", "run:v2 step-200", "run:v3 step-1000"));
}

TEST_F(WatchedRun, IsTakenOnceAlsoByANewWatcher) {
  writeCheckpoint(10);
  ASSERT_TRUE(watchOnce());
  writeCheckpoint(20);
  const auto again = watchOnce();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->taken, 1U);
  EXPECT_EQ(again->known, 1U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
}

TEST_F(WatchedRun, DoesNotBringBackWhatWasRemoved) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  ASSERT_TRUE(watchOnce());
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  const auto again = watchOnce();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->known, 2U);
  EXPECT_THAT(versions(), ElementsAre("run:v2 step-20"));
  // Who asks for it by hand gets it.
  ASSERT_TRUE(snapshot(10));
  EXPECT_EQ(versions().size(), 2U);
}

/// A rename is no deletion.
TEST_F(WatchedRun, TakesWhatHasAnotherNameNow) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  ASSERT_TRUE(watchOnce());
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2"}, .now = true}));
  const auto again = watchOnce();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->known, 2U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "old"}));
  ASSERT_TRUE(watchOnce());
  EXPECT_TRUE(store().resolve("run:step-10"));
  EXPECT_FALSE(store().resolve("run:step-20"));
}

TEST_F(WatchedRun, HasWhatItsTrainerDeletedMeanwhile) {
  writeCheckpoint(10);
  const auto files = test::filesBelow(checkpoint(10));
  whenStaged([&] { fs::remove_all(checkpoint(10)); });
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_THAT(said_, ElementsAre("run:v1"));
  ASSERT_TRUE(restoreVersion(store(), {.reference = "run", .target = folder_ / "back"}, {}, {}));
  EXPECT_EQ(test::filesBelow(folder_ / "back"), files);
  EXPECT_EQ(entriesOfRunFolder(), 0U);
}

TEST_F(WatchedRun, PassesOverWhatIsWrittenInPlaceAndTakesItLater) {
  writeCheckpoint(10);
  whenStaged([&] { writeCheckpoint(10, 99); });
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 0U);
  EXPECT_EQ(watched->passed, 1U);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_.front(), HasSubstr("changed while it was read"));
  EXPECT_THAT(versions(), IsEmpty());
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
}

TEST_F(WatchedRun, TakesWhatIsWrittenAnewUnderTheSameName) {
  writeCheckpoint(10, 1);
  ASSERT_TRUE(watchOnce());
  fs::remove_all(checkpoint(10));
  writeCheckpoint(10, 2);
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1", "run:v2 step-10"));
}

TEST_F(WatchedRun, GoesOnAfterABadCheckpoint) {
  for (const std::uint64_t step : {10U, 20U, 30U}) writeCheckpoint(step);
  fs::resize_file(checkpoint(10) / "optimizer.pt", 100);
  fs::remove(checkpoint(20) / "trainer_state.json");
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U);
  EXPECT_EQ(watched->passed, 2U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-30"));
}

TEST_F(WatchedRun, PassesOverWhatLacksARankOfTheSnapshotBefore) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    fs::remove(checkpoint(step) / "rng_state.pth");
    for (const int rank : {0, 1, 2}) {
      if (step == 20 && rank == 2) continue;
      fs::copy_file(checkpoint(step) / "scheduler.pt",
                    checkpoint(step) / ("rng_state_" + std::to_string(rank) + ".pth"));
    }
  }
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
  EXPECT_THAT(said_.back(), HasSubstr("lacks rng_state_2.pth, which run:v1 has"));
}

TEST_F(WatchedRun, GoesOnWithFewerRanksOnceTwoCheckpointsLackThem) {
  const auto write = [&](std::uint64_t step, int ranks) {
    writeCheckpoint(step);
    fs::remove(checkpoint(step) / "rng_state.pth");
    for (int rank = 0; rank < ranks; ++rank) {
      fs::copy_file(checkpoint(step) / "scheduler.pt",
                    checkpoint(step) / ("rng_state_" + std::to_string(rank) + ".pth"));
    }
  };
  write(10, 3);
  write(20, 2);
  write(30, 2);
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->passed, 0U);
  EXPECT_EQ(watched->taken, 3U);
  EXPECT_EQ(versions().size(), 3U);
}

TEST_F(WatchedRun, TakesNothingAgainThatWasDeletedForGood) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  ASSERT_TRUE(watchOnce());
  // The second is a difference to the first, so this stays without a name.
  for (const auto& [gone, left] : {std::pair("run:v1", 1U), std::pair("run:v2", 0U)}) {
    ASSERT_TRUE(removeVersions(store(), {.references = {gone}}));
    ASSERT_TRUE(emptyTrash(store(), {}));
    said_.clear();
    const auto watched = watchOnce();
    ASSERT_TRUE(watched);
    EXPECT_EQ(watched->taken, 0U);
    EXPECT_EQ(watched->known, 2U);
    EXPECT_EQ(versions().size(), left);
    EXPECT_THAT(said_, ElementsAre(HasSubstr("strata snapshot run")));
  }
  ASSERT_TRUE(snapshot(10)) << "as is advised";
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-10"));
}

/// Of torch.distributed each rank has files of its own in each folder.
class ShardedRun : public WatchedRun {
 protected:
  void write(std::uint64_t step, int ranks) const {
    writeCheckpoint(step);
    const fs::path folder = checkpoint(step) / "optimizer_0";
    fs::create_directory(folder);
    test::writeWhole(folder / ".metadata", "of two ranks");
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string name = "__" + std::to_string(rank) + "_0.distcp";
      test::writeWhole(folder / name, "shard of rank " + std::to_string(rank));
    }
  }
  ShardedRun() {
    tools_.check = [](const fs::path& path) -> Result<CheckpointState> {
      return CheckpointState{.kind = CheckpointKind::Distributed,
                             .step = stepOfName(path.filename().string())};
    };
  }
};

TEST_F(ShardedRun, PassesOverWhatLacksARankOfTheSnapshotBefore) {
  write(10, 2);
  write(20, 1);
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
  EXPECT_THAT(said_.back(), HasSubstr("lacks optimizer_0/__1_0.distcp, which run:v1 has"));
}

TEST_F(ShardedRun, GoesOnWithFewerRanksOnceTwoCheckpointsLackThem) {
  write(10, 2);
  write(20, 1);
  write(30, 1);
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 3U);
}

/// Where the metadata names the files of all ranks, one checkpoint is enough.
TEST_F(ShardedRun, TakesTheLastOneOfFewerRanks) {
  write(10, 2);
  write(20, 1);
  for (const auto& [step, ranks] : {std::pair(10U, 2), std::pair(20U, 1)}) {
    std::string names;
    for (int rank = 0; rank < ranks; ++rank) {
      names += "X\x0c__" + std::to_string(rank) + "_0.distcpq";
    }
    test::writeWhole(checkpoint(step) / "optimizer_0" / ".metadata", names);
  }
  tools_.check = [](const fs::path& path) -> Result<CheckpointState> {
    STRATA_TRY(CheckpointState state, checkCheckpoint(path));
    state.unfinished.clear();  // the shards of the test are no archives
    return state;
  };
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 2U);
  fs::remove(checkpoint(20) / "optimizer_0" / "__0_0.distcp");
  EXPECT_TRUE(checkCheckpoint(checkpoint(20))->listedShards.empty());
}

TEST_F(ShardedRun, NeverGoesOnWithoutTheFirstRank) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    write(step, 2);
    if (step > 10) fs::remove(checkpoint(step) / "optimizer_0" / "__0_0.distcp");
  }
  ASSERT_TRUE(watchOnce());
  EXPECT_EQ(versions().size(), 1U);
}

/// Folders below may have the step in their names, too.
TEST_F(ShardedRun, IsTakenWhereItsFoldersAreNamedByTheStep) {
  for (const std::uint64_t step : {10U, 20U}) {
    write(step, 2);
    fs::rename(checkpoint(step) / "optimizer_0",
               checkpoint(step) / ("global_step" + std::to_string(step)));
  }
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 2U);
}

TEST_F(ShardedRun, MayGoOnWithoutShards) {
  write(10, 2);
  writeCheckpoint(20);
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 2U);
}

/// What is half deleted has no optimizer at all.
TEST_F(ShardedRun, NeverGoesOnWithoutAnOptimizer) {
  for (const std::uint64_t step : {10U, 20U}) {
    write(step, 2);
    fs::remove(checkpoint(step) / "optimizer.pt");
  }
  fs::remove_all(checkpoint(20) / "optimizer_0");
  ASSERT_TRUE(watchOnce());
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
}

TEST_F(WatchedRun, HasFilesOfOneNumberWhateverTheirKind) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    const std::string number = std::to_string(step);
    fs::copy_file(checkpoint(step) / "model.safetensors",
                  runFolder() / ("model_" + number + ".safetensors"));
    fs::copy_file(checkpoint(step) / "model.safetensors",
                  runFolder() / ("optimizer_" + number + ".safetensors"));
    fs::remove_all(checkpoint(step));
  }
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 2U);
}

TEST_F(WatchedRun, SaysThatAnOptimizerStays) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    const std::string name = "step=" + std::to_string(step) + ".ckpt";
    fs::rename(checkpoint(step) / "optimizer.pt", runFolder() / name);
    fs::remove_all(checkpoint(step));
  }
  const auto watched = watchOnce([](WatchOptions& options) { options.keepOptimizer = 1; });
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 2U);
  EXPECT_FALSE(watched->isLeftOut);
}

/// A trainer that replaces files between the look and the moment when they get our names.
TEST_F(WatchedRun, NeverHasFilesOfTwoCheckpoints) {
  writeCheckpoint(10);
  const auto check = tools_.check;
  tools_.check = [&](const fs::path& path) {
    auto state = check(path);
    if (path == checkpoint(10)) {
      test::writeWhole(runFolder() / ".new", test::readWhole(path / "scheduler.pt"));
      fs::rename(runFolder() / ".new", path / "optimizer.pt");
    }
    return state;
  };
  const auto watched = watchOnce();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 0U);
  EXPECT_THAT(said_.back(), HasSubstr("its files are others now"));
  EXPECT_THAT(versions(), IsEmpty());
}

TEST_F(WatchedRun, SendsWhatAWatcherBeforeItDidNot) {
  writeCheckpoint(10);
  ASSERT_TRUE(watchOnce());
  int calls = 0;
  const auto onTaken = [&]() -> Result<void> {
    ++calls;
    return fail(ErrorCode::Network, "no way there");
  };
  const WatchOptions options{
      .snapshot = {.add = {.name = "run"}}, .folder = runFolder(), .once = true};
  const auto watched = watchFolder(store(), tools_, options, {.onTaken = onTaken}, {}, {});
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->known, 1U);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(watched->isSent);
}

TEST_F(WatchedRun, IsTakenInDistancesOfSteps) {
  for (const std::uint64_t step : {100U, 150U, 200U, 250U, 310U}) writeCheckpoint(step);
  const auto everyHundred = [](WatchOptions& options) { options.every = 100; };
  ASSERT_TRUE(watchOnce(everyHundred));
  ASSERT_TRUE(watchOnce(everyHundred));
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-100", "run:v2 step-200", "run:v3 step-310"));
}

TEST_F(WatchedRun, HasOneWatcher) {
  writeCheckpoint(10);
  Result<WatchReport> second = WatchReport{};
  whenStaged([&] { second = watchOnce(); });
  ASSERT_TRUE(watchOnce());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::StoreLocked);
  ASSERT_TRUE(watchOnce());  // the first one is over
}

TEST_F(WatchedRun, LeavesNothingOfAKilledWatcher) {
  const fs::path left = runFolder() / claimName(".strata-watch");
  fs::create_directories(left / "checkpoint-10");
  test::writeWhole(left / "checkpoint-10" / "model.safetensors", "left");
  writeCheckpoint(10);
  ASSERT_TRUE(watchOnce());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(entriesOfRunFolder(), 1U);
}

TEST_F(WatchedRun, IsLookedAtUntilTheEnd) {
  writeCheckpoint(10);
  std::stop_source stop;
  WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder()};
  options.interval = std::chrono::milliseconds(1);
  std::vector<std::string> seen;
  const auto onEvent = [&](const WatchEvent& event) {
    ASSERT_NE(event.snapshot, nullptr) << event.text;
    seen.push_back(event.snapshot->added.version.label());
    if (seen.size() == 2) stop.request_stop();
    if (seen.size() == 1) writeCheckpoint(20);
  };
  const auto watched =
      watchFolder(store(), tools_, options, {.onEvent = onEvent}, stop.get_token(), {});
  ASSERT_TRUE(watched);
  EXPECT_TRUE(watched->isStopped);
  EXPECT_THAT(seen, ElementsAre("run:v1", "run:v2"));
}

TEST_F(WatchedRun, TriesASendAgainThatFailed) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  int calls = 0;
  const auto onTaken = [&]() -> Result<void> {
    if (++calls == 1) return fail(ErrorCode::Network, "no way there");
    return {};
  };
  WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder(), .once = true};
  const auto watched = watchFolder(store(), tools_, options, {.onTaken = onTaken}, {}, {});
  ASSERT_TRUE(watched);
  EXPECT_TRUE(watched->isSent);
  EXPECT_EQ(watched->taken, 2U);
  EXPECT_EQ(calls, 2);
}

/// Torn for a while, and stored since, is no loss.
TEST_F(WatchedRun, CountsWhatIsPassedOverAtItsEnd) {
  for (const bool isFinishedLater : {true, false}) {
    writeCheckpoint(10);
    fs::remove(checkpoint(10) / "rng_state.pth");
    WatchOptions options{.snapshot = {.add = {.name = isFinishedLater ? "run" : "other"}},
                         .folder = runFolder()};
    options.interval = std::chrono::milliseconds(1);
    std::stop_source stop;
    const auto onEvent = [&](const WatchEvent& event) {
      const bool isPassed = event.kind == WatchEvent::Kind::Passed;
      if (isPassed && isFinishedLater) writeCheckpoint(10);
      const bool isOver = event.kind == WatchEvent::Kind::Taken || (isPassed && !isFinishedLater);
      if (isOver) stop.request_stop();
    };
    const auto watched =
        watchFolder(store(), tools_, options, {.onEvent = onEvent}, stop.get_token(), {});
    ASSERT_TRUE(watched) << watched.error().message;
    EXPECT_EQ(watched->passed, isFinishedLater ? 0U : 1U);
    EXPECT_EQ(watched->taken, isFinishedLater ? 1U : 0U);
  }
}

}  // namespace
}  // namespace strata
