#include "core/ops/runs/take_snapshot.h"

#include <gmock/gmock.h>

#include "core/ops/runs/list_runs.h"
#include "core/ops/runs/run_versions.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Snapshots : public test::RunFixture {};

TEST_F(Snapshots, StandOnTheOneBefore) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    const auto taken = snapshot(step);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_EQ(taken->state.step, step);
  }
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
  EXPECT_TRUE(store().resolve("run:v1")->isBase());
  EXPECT_EQ(store().resolve("run:v2")->parentDigest, store().resolve("run:v1")->contentDigest);
}

TEST_F(Snapshots, ComeBackByteForByteWithAllFiles) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(snapshot(step));
  }
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    const fs::path back = folder_ / ("back" + std::to_string(step));
    const auto restored = restoreVersion(
        store(), {.reference = "run:step-" + std::to_string(step), .target = back}, {}, {});
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(test::filesBelow(back), test::filesBelow(checkpoint(step)));
  }
}

TEST_F(Snapshots, MakeNoChainThatGrowsWithTheRun) {
  std::uint32_t deepest = 0;
  for (std::uint64_t step = 1; step <= 2 * kMaxChainDepth + 3; ++step) {
    writeCheckpoint(step);
    const auto taken = snapshot(step);
    ASSERT_TRUE(taken) << taken.error().message;
    deepest = std::max(deepest, taken->added.version.depth);
  }
  EXPECT_EQ(deepest, kMaxChainDepth);
}

TEST_F(Snapshots, OfAnUnfinishedCheckpointAreRefused) {
  writeCheckpoint(10);
  fs::remove(checkpoint(10) / "trainer_state.json");
  const auto taken = snapshot(10);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::Unsupported);
  EXPECT_NE(taken.error().message.find("trainer_state.json is not there"), std::string::npos);
  EXPECT_THAT(versions(), IsEmpty());
}

TEST_F(Snapshots, AreNotTakenTwice) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  const auto again = snapshot(10);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->wasTaken);
  writeCheckpoint(20);
  ASSERT_TRUE(snapshot(20));
  const auto older = snapshot(10);
  ASSERT_TRUE(older);
  EXPECT_TRUE(older->wasTaken);
  EXPECT_EQ(older->added.version.label(), "run:v1");
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
}

TEST_F(Snapshots, OfOneStepWithOtherBytesTakeItsTag) {
  writeCheckpoint(10, 1);
  ASSERT_TRUE(snapshot(10));
  writeCheckpoint(10, 2);
  ASSERT_TRUE(snapshot(10));
  EXPECT_THAT(versions(), ElementsAre("run:v1", "run:v2 step-10"));
}

TEST_F(Snapshots, WithoutAStepHaveTheNumberOfTheirName) {
  writeCheckpoint(10);
  fs::remove(checkpoint(10) / "trainer_state.json");
  for (const char* const name : {"optimizer.pt", "scheduler.pt", "rng_state.pth"}) {
    fs::remove(checkpoint(10) / name);
  }
  fs::rename(checkpoint(10), runFolder() / "epoch_7");
  const auto taken = takeSnapshot(
      store(), tools_, {.add = {.name = "run"}, .path = runFolder() / "epoch_7/"}, {}, {});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v1 snapshot-7"));
}

TEST_F(Snapshots, SayWhatTheirTrainerSaid) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  const auto snapshots = runSnapshots(store(), "run");
  ASSERT_TRUE(snapshots);
  ASSERT_EQ(snapshots->size(), 1U);
  EXPECT_EQ(snapshots->front().step, 10U);
  EXPECT_EQ(snapshots->front().checkpoint, "checkpoint-10");
  ASSERT_TRUE(snapshots->front().state);
  EXPECT_EQ(snapshots->front().state->loss, 0.5);
  const auto runs = listRuns(store());
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_EQ(runs->front().run, "run");
  EXPECT_EQ(runs->front().snapshotCount, 1U);
}

/// Earlier programs recorded nothing of a snapshot.
TEST_F(Snapshots, WithoutARecordHaveTheStepOfTheirTag) {
  writeCheckpoint(10);
  fs::remove(checkpoint(10) / "trainer_state.json");
  const auto model = tools_.open(checkpoint(10));
  ASSERT_TRUE(model);
  add(**model, {.name = "run", .tags = {"step-7"}});
  writeCheckpoint(5);
  ASSERT_TRUE(snapshot(5));
  const auto snapshots = runSnapshots(store(), "run");
  ASSERT_TRUE(snapshots);
  ASSERT_EQ(snapshots->size(), 2U);
  EXPECT_EQ(snapshots->front().shown(), "run:v1, step 7");
  EXPECT_EQ(snapshots->back().shown(), "run:v2, step 5");
}

TEST_F(Snapshots, ComeBackWithoutWhatIsForTrainingAlone) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  const fs::path back = folder_ / "weights";
  const auto restored =
      restoreVersion(store(), {.reference = "run", .target = back, .weightsOnly = true}, {}, {});
  ASSERT_TRUE(restored) << restored.error().message;
  std::vector<std::string> names;
  for (const auto& [name, bytes] : test::filesBelow(back)) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("config.json", "model.safetensors", "tokenizer/vocab.txt"));
}

}  // namespace
}  // namespace strata
