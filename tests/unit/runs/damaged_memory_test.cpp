#include <gmock/gmock.h>

#include <utility>

#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/resume_run.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A run with step 10 in the store and a copy of step 20 in memory, as a killed watcher leaves it.
class DamagedMemory : public test::RunFixture {
 protected:
  DamagedMemory() {
    fs::create_directory(memory());
    writeCheckpoint(10);
    EXPECT_TRUE(snapshot(10));
    writeCheckpoint(20);
    files_ = test::filesBelow(checkpoint(20));
    copyOnly(20);
  }

  fs::path memory() const { return folder_ / "memory"; }
  MemoryTier tier() { return MemoryTier(memory(), store().folder(), "run", 100'000'000); }
  void copyOnly(std::uint64_t step) {
    auto places = CheckpointScan(runFolder()).look();
    ASSERT_TRUE(places);
    for (const CheckpointPlace& place : *places) {
      if (place.step != step) continue;
      const auto copied = tier().copy(place, tools_, {});
      ASSERT_TRUE(copied) << copied.error().message;
      ASSERT_TRUE(*copied);
    }
  }
  MemoryTier::Copy copy() { return tier().waiting().front(); }
  void flip(const fs::path& file, std::size_t at) const {
    std::string bytes = test::readWhole(file);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    test::writeWhole(file, bytes);
  }
  Result<WatchReport> watch() {
    said_.clear();
    return watchOnce([&](WatchOptions& options) { options.memoryFolder = memory(); });
  }
  Result<ResumeReport> resume() {
    fs::remove_all(folder_ / "again");
    return resumeRun(store(), tools_,
                     {.run = "run", .target = folder_ / "again", .memoryFolder = memory()}, {}, {});
  }
  /// Each way to damage the copy, and what is said of it.
  std::vector<std::pair<std::function<void()>, std::string>> damages() {
    const fs::path list = copy().folder / "strata-files.txt";
    const fs::path at = copy().place.path;
    return {
        {[=, this] { flip(at / "model.safetensors", 9000); }, "model.safetensors has other bytes"},
        {[=, this] { flip(at / "optimizer.pt", 9000); }, "optimizer.pt has other bytes"},
        {[=] { fs::resize_file(at / "model.safetensors", 9000); }, "has 9000 bytes, expected"},
        {[=] { fs::remove(at / "optimizer.pt"); }, "optimizer.pt is not there"},
        {[=] { fs::remove(at / "tokenizer" / "vocab.txt"); }, "tokenizer/vocab.txt is not there"},
        {[=] { test::writeWhole(at / "more.bin", "x"); }, "more.bin was not copied there"},
        {[=] { fs::remove(list); }, "the list of its files is not there"},
        {[=, this] { flip(list, 40); }, "the list of its files is damaged"},
        {[=] { fs::resize_file(list, 0); }, "the list of its files is damaged"},
    };
  }
  /// Begins anew with a sound copy.
  void renew() {
    fs::remove_all(memory());
    fs::create_directory(memory());
    if (!fs::exists(checkpoint(20))) writeCheckpoint(20);
    copyOnly(20);
  }

  std::map<std::string, std::string> files_;
};

TEST_F(DamagedMemory, IsNeverResumedFrom) {
  const std::size_t count = damages().size();
  for (std::size_t i = 0; i < count; ++i) {
    renew();
    const auto [damage, why] = damages()[i];
    damage();
    const auto resumed = resume();
    ASSERT_TRUE(resumed) << why << ": " << resumed.error().message;
    EXPECT_EQ(resumed->state.step, 10U) << why;
    EXPECT_FALSE(resumed->isFromMemory) << why;
    ASSERT_EQ(resumed->passed.size(), 1U) << why;
    EXPECT_EQ(resumed->passed.front().label, copy().place.path.string());
    EXPECT_THAT(resumed->passed.front().why, HasSubstr(why));
  }
}

TEST_F(DamagedMemory, IsKeptAndNamedWhereItIsTheOnlyPlace) {
  const std::size_t count = damages().size();
  for (std::size_t i = 0; i < count; ++i) {
    renew();
    const auto [damage, why] = damages()[i];
    damage();
    fs::remove_all(checkpoint(20));
    const auto left = test::filesBelow(copy().place.path);
    const auto first = watch();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->passed, 1U) << why;
    ASSERT_EQ(tier().aside().size(), 1U) << why;
    EXPECT_EQ(test::filesBelow(tier().aside().front().place.path), left) << why;
    EXPECT_THAT(said_, Contains(HasSubstr(why)));
    EXPECT_THAT(said_, Contains(HasSubstr(tier().aside().front().place.path.string())));
    EXPECT_THAT(versions(), ElementsAre("run:v1 step-10"));
    ASSERT_TRUE(watch()) << "another one";
    EXPECT_THAT(said_, Contains(HasSubstr("nothing else has it"))) << "it says so again";
    ASSERT_EQ(tier().aside().size(), 1U) << why;
    EXPECT_EQ(resume()->state.step, 10U);
    fs::remove_all(tier().aside().front().place.path);  // as is advised
    ASSERT_TRUE(watch());
    EXPECT_THAT(said_, Not(Contains(HasSubstr("nothing else has it"))));
    EXPECT_TRUE(fs::is_empty(memory()));
  }
}

/// A copy without its list may be whole all the same.
TEST_F(DamagedMemory, IsKeptWhereTheStoredOneIsDamaged) {
  renew();
  ASSERT_TRUE(snapshot(20));
  deletePacksOf("run:step-20", "run:step-10");
  fs::remove_all(checkpoint(20));
  const auto left = test::filesBelow(copy().place.path);
  fs::remove(copy().folder / "strata-files.txt");
  ASSERT_TRUE(watch());
  ASSERT_EQ(tier().aside().size(), 1U);
  EXPECT_EQ(test::filesBelow(tier().aside().front().place.path), left);
}

TEST_F(DamagedMemory, GivesWayToTheTrainersOwn) {
  for (const std::string file : {"optimizer.pt", "model.safetensors"}) {
    renew();
    flip(copy().place.path / file, 9000);
    ASSERT_TRUE(watch());
    EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
    ASSERT_TRUE(restoreVersion(store(), {.reference = "run:v2", .target = folder_ / file}, {}, {}));
    EXPECT_EQ(test::filesBelow(folder_ / file), files_);
    EXPECT_TRUE(fs::is_empty(memory()));
  }
}

/// The trainer's own is another checkpoint by now: the copy is the only one of its own.
TEST_F(DamagedMemory, IsNoOtherCheckpointOfItsName) {
  flip(copy().place.path / "optimizer.pt", 9000);
  fs::remove_all(checkpoint(20));
  writeCheckpoint(20, 77);
  ASSERT_TRUE(watch());
  EXPECT_EQ(tier().aside().size(), 1U);
  EXPECT_EQ(versions().size(), 2U);
}

/// A watcher that was killed after it had stored it.
TEST_F(DamagedMemory, IsDeletedWhereTheStoreHasIt) {
  ASSERT_TRUE(snapshot(20));
  flip(copy().place.path / "optimizer.pt", 9000);
  fs::remove_all(checkpoint(20));
  ASSERT_TRUE(watch());
  EXPECT_TRUE(fs::is_empty(memory()));
  EXPECT_THAT(said_, Not(Contains(HasSubstr("damaged"))));
}

TEST_F(DamagedMemory, MayBeHalfACopy) {
  const auto halve = [&] {
    const fs::path half = copy().folder.parent_path() / ".strata-copying-0123";
    fs::remove(copy().folder / "strata-files.txt");
    fs::rename(copy().folder, half);
  };
  halve();
  EXPECT_THAT(tier().waiting(), IsEmpty());
  EXPECT_EQ(resume()->state.step, 10U);
  ASSERT_TRUE(watch());
  EXPECT_TRUE(fs::is_empty(memory())) << "its trainer has it";
  EXPECT_EQ(versions().size(), 2U);
  writeCheckpoint(30);
  copyOnly(30);
  fs::remove_all(checkpoint(30));
  const auto left = test::filesBelow(copy().place.path);
  halve();
  ASSERT_TRUE(watch());
  ASSERT_EQ(tier().aside().size(), 1U);
  EXPECT_EQ(test::filesBelow(tier().aside().front().place.path), left);
  EXPECT_THAT(said_, Contains(HasSubstr("it was not copied to its end")));
}

/// As programs made them that wrote no lists.
TEST_F(DamagedMemory, MayBeOfAnEarlierProgram) {
  const fs::path bare = copy().folder.parent_path() / "checkpoint-20";
  fs::rename(copy().place.path, bare);
  fs::remove_all(copy().folder);
  fs::remove_all(checkpoint(20));
  const auto left = test::filesBelow(bare);
  EXPECT_EQ(resume()->state.step, 10U);
  ASSERT_TRUE(watch());
  ASSERT_EQ(tier().aside().size(), 1U);
  EXPECT_EQ(test::filesBelow(tier().aside().front().place.path), left);
  EXPECT_THAT(said_, Contains(HasSubstr("nothing else has it")));
}

TEST_F(DamagedMemory, HasOneWatcher) {
  fs::remove_all(checkpoint(20));
  WatchOptions options{.snapshot = {.add = {.name = "run"}}, .folder = runFolder(), .once = true};
  options.memoryFolder = memory();
  int count = 0;
  const auto onEvent = [&](const WatchEvent&) {
    const auto other = watch();
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::StoreLocked);
    ++count;
  };
  flip(copy().place.path / "optimizer.pt", 9000);
  ASSERT_TRUE(watchFolder(store(), tools_, options, {.onEvent = onEvent}, {}, {}));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(tier().aside().size(), 1U);
}

/// What the store cannot take now is no damage of the copy.
TEST_F(DamagedMemory, OutlivesADamagedStore) {
  fs::remove_all(checkpoint(20));
  const fs::path object = store().objects().pathOf(store().resolve("run")->manifestDigest);
  const std::string bytes = test::readWhole(object);
  fs::permissions(object, fs::perms::owner_all);
  test::writeWhole(object, "no manifest");
  ASSERT_TRUE(watch());
  EXPECT_EQ(tier().waiting().size() + versions().size(), 2U) << "stored, or still in memory";
  test::writeWhole(object, bytes);
  ASSERT_TRUE(watch());
  EXPECT_EQ(versions().size(), 2U);
  EXPECT_TRUE(fs::is_empty(memory()));
}

/// A trainer that writes one name again and again.
TEST_F(DamagedMemory, KeepsTheFormerCopyOfAName) {
  fs::remove_all(checkpoint(20));
  writeCheckpoint(20, 77);
  copyOnly(20);
  EXPECT_EQ(tier().waiting().size(), 2U);
  EXPECT_TRUE(resume()->isFromMemory);
  EXPECT_NE(test::filesBelow(folder_ / "again"), files_) << "the newer one";
  ASSERT_TRUE(watch());
  EXPECT_EQ(versions().size(), 3U);
}

/// What the run refuses is kept where its trainer has deleted it, and taken once it is right.
TEST_F(DamagedMemory, KeepsWhatIsRefused) {
  ASSERT_TRUE(watch());
  for (const std::uint64_t step : {30U, 40U}) {
    writeCheckpoint(step);
    fs::rename(checkpoint(step) / "rng_state.pth", checkpoint(step) / "rng_state_0.pth");
    fs::copy_file(checkpoint(step) / "rng_state_0.pth", checkpoint(step) / "rng_state_1.pth");
    if (step == 30) {
      fs::copy_file(checkpoint(step) / "rng_state_0.pth", checkpoint(step) / "rng_state_2.pth");
      ASSERT_TRUE(snapshot(step));
    }
  }
  copyOnly(40);
  fs::remove_all(checkpoint(40));
  ASSERT_TRUE(watch());
  ASSERT_EQ(tier().aside().size(), 1U);
  EXPECT_THAT(said_, Contains(HasSubstr("lacks rng_state_2.pth")));
  const fs::path aside = tier().aside().front().place.path;
  ASSERT_TRUE(takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = aside}, {}, {}));
  ASSERT_TRUE(watch());
  EXPECT_TRUE(fs::is_empty(memory())) << "the store has it";
}

}  // namespace
}  // namespace strata
