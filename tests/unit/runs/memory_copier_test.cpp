#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>

#include "core/io/free_space.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/store/store_writer.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A watcher with a memory tier, and another writer that keeps it from storing anything.
class CopyingMeanwhile : public test::RunFixture {
 protected:
  CopyingMeanwhile() {
    fs::create_directory(memory());
    store().setLockWait({.longest = std::chrono::minutes(1)});
    auto other = Store::open(store().folder());
    EXPECT_TRUE(other);
    other_ = std::move(*other);
    auto lock = other_->lock("a test");
    EXPECT_TRUE(lock);
    writing_ = std::move(*lock);
  }

  fs::path memory() const { return folder_ / "memory"; }
  MemoryTier tier() { return MemoryTier(memory(), store().folder(), "run", 1); }
  void letStore() { writing_.reset(); }
  /// Watches until it is told to stop. `onSaid` gets what is said, as it is kept in `said_`.
  Result<WatchReport> watch(std::uint64_t most,
                            const std::function<void(const std::string&)>& onSaid) {
    WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder()};
    options.memoryTierBytes = most;
    options.memoryFolder = memory();
    options.interval = std::chrono::milliseconds(1);
    std::mutex saying;  // guards said_
    const auto onEvent = [&](const WatchEvent& event) {
      std::string text = event.text;
      const auto step = stepOfName(event.path.filename().string()).value_or(0);
      if (event.kind == WatchEvent::Kind::Copied) text = fmt::format("copied {}", step);
      if (event.kind == WatchEvent::Kind::Taken) text = fmt::format("taken {}", step);
      {
        const std::scoped_lock lock(saying);
        said_.push_back(text);
      }
      onSaid(text);
    };
    return watchFolder(store(), tools_, options, {.onEvent = onEvent}, stop_.get_token(), {});
  }

  std::stop_source stop_;

 private:
  std::unique_ptr<Store> other_;
  std::unique_ptr<StoreWriter> writing_;
};

constexpr std::uint64_t kAmple = 100'000'000;

TEST_F(CopyingMeanwhile, TakesWhatComesWhileAnotherIsStored) {
  writeCheckpoint(10);
  const auto watched = watch(kAmple, [&](const std::string& text) {
    if (text == "copied 10") writeCheckpoint(20);
    if (text == "copied 20") fs::remove_all(checkpoint(20));
    if (text == "copied 20") writeCheckpoint(30);
    if (text == "copied 30") letStore();
    if (text == "taken 30") stop_.request_stop();
  });
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(said_, ElementsAre("copied 10", "copied 20", "copied 30", "taken 10", "taken 20",
                                 "taken 30"));
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20", "run:v3 step-30"));
  EXPECT_TRUE(fs::is_empty(memory()));
}

TEST_F(CopyingMeanwhile, EndsWithTheWatcher) {
  writeCheckpoint(10);
  const auto watched = watch(kAmple, [&](const std::string& text) {
    if (text == "copied 10") writeCheckpoint(20);
    if (text == "copied 20") stop_.request_stop();
  });
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_TRUE(watched->isStopped);
  EXPECT_EQ(watched->inMemory, 2U);
  EXPECT_THAT(said_.back(), HasSubstr("2 checkpoints lie in memory alone"));
  EXPECT_TRUE(versions().empty());
  for (const auto& entry : fs::recursive_directory_iterator(memory())) {
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
  }
}

/// A copy that is being made ends at once, and nothing of it is left.
TEST_F(CopyingMeanwhile, StopsInTheMiddleOfACopy) {
  writeCheckpoint(10);
  const auto check = tools_.check;
  tools_.check = [&](const fs::path& path) {
    if (path == checkpoint(20)) stop_.request_stop();
    return check(path);
  };
  const auto watched = watch(kAmple, [&](const std::string& text) {
    if (text == "copied 10") writeCheckpoint(20);
  });
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_TRUE(watched->isStopped);
  EXPECT_TRUE(tier().unfinished().empty());
  EXPECT_EQ(tier().waiting().size(), 1U);
  EXPECT_THAT(said_, ElementsAre("copied 10", HasSubstr("1 checkpoint lies in memory alone")));
}

TEST_F(CopyingMeanwhile, SaysOnceThatThereIsNoRoom) {
  writeCheckpoint(10);
  std::atomic<int> looks = 0;
  const auto check = tools_.check;
  tools_.check = [&](const fs::path& path) {
    if (path == checkpoint(20) && ++looks == 5) letStore();
    return check(path);
  };
  const auto watched = watch(bytesUnder(checkpoint(10)) + 100, [&](const std::string& text) {
    if (text == "copied 10") writeCheckpoint(20);
    if (text == "taken 20") stop_.request_stop();
  });
  ASSERT_TRUE(watched) << watched.error().message;
  const auto isOfRoom = [](const std::string& text) {
    return text.find("no room for checkpoint-20") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(said_, isOfRoom), 1);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
}

/// One that memory has no room for waits for those of earlier steps in memory.
TEST_F(CopyingMeanwhile, KeepsTheOrderOfSteps) {
  writeCheckpoint(10);
  const auto watched = watch(1'000'000, [&](const std::string& text) {
    if (text == "copied 10") writeCheckpoint(20);
    if (text == "copied 20") {
      writeCheckpoint(30);
      test::writeWhole(checkpoint(30) / "large.bin", std::string(2'000'000, 'x'));
    }
    if (text.find("no room for") != std::string::npos) letStore();
    if (text == "taken 30") stop_.request_stop();
  });
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20", "run:v3 step-30"));
}

}  // namespace
}  // namespace strata
