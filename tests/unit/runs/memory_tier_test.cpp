#include "core/ops/runs/detail/memory_tier.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/ops/runs/resume_run.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kPlenty = 100'000'000;

/// A folder of the test stands for memory.
class MemoryOfARun : public test::RunFixture {
 protected:
  MemoryOfARun() { fs::create_directory(memory()); }

  fs::path memory() const { return folder_ / "memory"; }
  MemoryTier tier(std::uint64_t most = kPlenty) {
    return MemoryTier(memory(), store().folder(), "run", most);
  }
  /// As a watcher that is killed before it stores it.
  void copyOnly(std::optional<std::uint64_t> step) {
    auto places = CheckpointScan(runFolder()).look();
    ASSERT_TRUE(places);
    for (const CheckpointPlace& place : *places) {
      if (place.step != step) continue;
      const auto copied = tier().copy(place, tools_, {});
      ASSERT_TRUE(copied) << copied.error().message;
      ASSERT_TRUE(*copied);
    }
  }
  Result<WatchReport> watch() {
    return watchOnce([&](WatchOptions& options) { options.memoryFolder = memory(); });
  }
  fs::path model(int number) const {
    return runFolder() / ("model_" + std::to_string(number) + ".safetensors");
  }
  /// A file alone, which says no step; its bytes.
  std::string writeModel(int number) const {
    writeCheckpoint(99, static_cast<unsigned>(number));
    fs::rename(checkpoint(99) / "model.safetensors", model(number));
    fs::remove_all(checkpoint(99));
    return test::readWhole(model(number));
  }
  /// Watches until `count` checkpoints were stored, or a minute is over; `onCopied` is called after
  /// each copy, `onTaken` after each that was stored.
  Result<WatchReport> watchUntil(std::size_t count, std::uint64_t most,
                                 const std::function<void()>& onCopied = {},
                                 const std::function<void()>& onTaken = {}) {
    WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder()};
    options.memoryTierBytes = most;
    options.memoryFolder = memory();
    options.interval = std::chrono::milliseconds(1);
    std::stop_source stop;
    const std::jthread end([&stop](const std::stop_token& isOver) {
      std::mutex mutex;  // for the wait alone
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait_for(lock, isOver, std::chrono::minutes(1),
                                             [] { return false; });
      if (!isOver.stop_requested()) stop.request_stop();
    });
    std::mutex saying;  // guards said_: two threads speak
    const auto onEvent = [&](const WatchEvent& event) {
      const bool isCopied = event.kind == WatchEvent::Kind::Copied;
      const bool isTaken = event.kind == WatchEvent::Kind::Taken;
      {
        const std::scoped_lock lock(saying);
        said_.push_back(isCopied ? "copied" : isTaken ? "taken" : event.text);
      }
      if (isCopied && onCopied) onCopied();
      if (isTaken && onTaken) onTaken();
      if (isTaken && versions().size() >= count) stop.request_stop();
    };
    return watchFolder(store(), tools_, options, {.onEvent = onEvent}, stop.get_token(), {});
  }
  Result<ResumeReport> resume(std::optional<std::uint64_t> step = {}) {
    fs::remove_all(folder_ / "again");
    return resumeRun(
        store(), tools_,
        {.run = "run", .step = step, .target = folder_ / "again", .memoryFolder = memory()}, {},
        {});
  }
};

TEST_F(MemoryOfARun, IsDrainedIntoTheStore) {
  writeCheckpoint(10);
  const auto files = test::filesBelow(checkpoint(10));
  const auto watched = watchUntil(1, kPlenty, [&] { fs::remove_all(checkpoint(10)); });
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(said_, ElementsAre("copied", "taken"));
  EXPECT_EQ(watched->inMemory, 0U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
  ASSERT_TRUE(restoreVersion(store(), {.reference = "run", .target = folder_ / "back"}, {}, {}));
  EXPECT_EQ(test::filesBelow(folder_ / "back"), files) << "the trainer had deleted it";
  EXPECT_TRUE(fs::is_empty(memory()));
}

/// As a loop of PyTorch writes it: a number that is no step.
TEST_F(MemoryOfARun, TakesWhatHasNoStep) {
  writeModel(1);
  const std::string bytes = writeModel(2);
  fs::rename(model(2), folder_ / "later");
  const auto come = [&] {
    if (fs::exists(folder_ / "later")) fs::rename(folder_ / "later", model(2));
  };
  const auto watched = watchUntil(
      2, kPlenty, [&] { fs::remove(model(2)); }, come);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(std::ranges::count(said_, "copied"), 1) << "the first look is for what is known";
  EXPECT_THAT(versions(), ElementsAre("run:v1 snapshot-1", "run:v2 snapshot-2"));
  EXPECT_EQ(*test::restoredBytes(store(), "run:v2"), bytes) << "the trainer had deleted it";
  EXPECT_TRUE(fs::is_empty(memory()));
}

TEST_F(MemoryOfARun, WithoutAStepIsTheNewest) {
  writeModel(1);
  ASSERT_TRUE(takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = model(1)}, {}, {}));
  fs::remove(model(1));
  writeModel(2);
  copyOnly({});
  fs::remove(model(2));
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_TRUE(resumed->isFromMemory);
  EXPECT_FALSE(resumed->state.step);
  EXPECT_FALSE(resume(10)) << "of that step there is none";
  ASSERT_TRUE(watch());
  EXPECT_THAT(versions(), ElementsAre("run:v1 snapshot-1", "run:v2 snapshot-2"));
}

/// What is stored already is known without a copy.
TEST_F(MemoryOfARun, IsNotFilledWithWhatIsStored) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  ASSERT_TRUE(snapshot(10));
  const auto watched = watchUntil(2, kPlenty);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(said_, ElementsAre("copied", "taken"));
  EXPECT_EQ(watched->known, 1U);
}

TEST_F(MemoryOfARun, OutlivesAWatcherThatIsKilled) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  writeCheckpoint(20);
  const auto files = test::filesBelow(checkpoint(20));
  copyOnly(20);
  fs::remove_all(checkpoint(20));
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_TRUE(resumed->isFromMemory);
  EXPECT_EQ(resumed->state.step, 20U);
  EXPECT_EQ(test::filesBelow(folder_ / "again"), files);
  const auto watched = watch();
  ASSERT_TRUE(watched);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
  EXPECT_TRUE(fs::is_empty(memory()));
  EXPECT_FALSE(resume()->isFromMemory);
}

TEST_F(MemoryOfARun, HasOneCopyOfWhatAnEarlierWatcherCopied) {
  writeCheckpoint(10);
  copyOnly(10);
  writeCheckpoint(20);
  const auto watched = watchUntil(2, kPlenty);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(std::ranges::count(said_, "copied"), 1) << "of step 20";
  EXPECT_EQ(watched->taken, 2U);
  EXPECT_EQ(watched->known, 0U);
  EXPECT_TRUE(fs::is_empty(memory()));
}

TEST_F(MemoryOfARun, IsAllThatARunHas) {
  writeCheckpoint(10);
  copyOnly(10);
  const auto resumed = resume();
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_TRUE(resumed->isFromMemory);
  EXPECT_TRUE(resume(10));
  EXPECT_FALSE(resume(20));
}

TEST_F(MemoryOfARun, IsPassedOverWhereItIsTorn) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  ASSERT_TRUE(snapshot(10));
  copyOnly(20);
  const fs::path copy = tier().waiting().front().place.path;
  fs::resize_file(copy / "optimizer.pt", 100);
  EXPECT_EQ(resume()->state.step, 10U);
  fs::remove(copy / "trainer_state.json");
  EXPECT_EQ(resume()->state.step, 10U);
}

TEST_F(MemoryOfARun, IsNotNeededWhereItIsFull) {
  for (const std::uint64_t step : {10U, 20U}) writeCheckpoint(step);
  const auto watched = watchUntil(2, 1000);
  ASSERT_TRUE(watched);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
  EXPECT_THAT(said_.front(), HasSubstr("memory has no room for checkpoint-10"));
}

TEST_F(MemoryOfARun, MayBeLostBeforeItIsStored) {
  writeCheckpoint(10);
  int copies = 0;
  const auto watched = watchUntil(1, kPlenty, [&] {
    if (++copies == 1) fs::remove_all(tier().folder());
  });
  ASSERT_TRUE(watched);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
}

TEST_F(MemoryOfARun, IsThisUsersAlone) {
  writeCheckpoint(10);
  fs::create_directory(tier().folder());
  fs::permissions(tier().folder(), fs::perms::all);
  const auto watched = watchUntil(1, kPlenty);
  ASSERT_TRUE(watched);
  EXPECT_THAT(said_.front(), HasSubstr("is not this user's alone"));
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
}

/// What lacks a rank may be torn. The next one that lacks it, too, shows that it was not.
TEST_F(MemoryOfARun, LosesNothingThatIsTakenLater) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    writeCheckpoint(step);
    fs::remove(checkpoint(step) / "rng_state.pth");
    for (const int rank : {0, 1, 2}) {
      if (step > 10 && rank == 2) continue;
      fs::copy_file(checkpoint(step) / "scheduler.pt",
                    checkpoint(step) / ("rng_state_" + std::to_string(rank) + ".pth"));
    }
  }
  const auto watched = watchUntil(3, kPlenty);
  ASSERT_TRUE(watched);
  EXPECT_EQ(versions().size(), 3U);
}

}  // namespace
}  // namespace strata
