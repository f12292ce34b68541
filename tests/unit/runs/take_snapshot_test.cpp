#include "core/ops/runs/take_snapshot.h"

#include <gmock/gmock.h>

#include "core/ops/runs/list_runs.h"
#include "core/ops/runs/run_versions.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

/// Stored as one, they would be the newest of the run, and no training can go on from a folder.
TEST_F(Snapshots, OfAFolderWithSeveralCheckpointsAreRefused) {
  writeCheckpoint(10);
  const std::string model = test::readWhole(checkpoint(10) / "model.safetensors");
  const std::string archive = test::readWhole(checkpoint(10) / "optimizer.pt");
  const auto taken = [&](const std::map<std::string, std::string>& files) {
    const fs::path path = folder_ / "several";
    fs::remove_all(path);
    fs::create_directory(path);
    for (const auto& [name, bytes] : files) test::writeWhole(path / name, bytes);
    return takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = path}, {}, {});
  };
  using Files = std::map<std::string, std::string>;
  for (const Files& files :
       {Files{{"model_1.safetensors", model}, {"model_2.safetensors", model}},
        Files{{"epoch=1-step=9.ckpt", archive}, {"epoch=2-step=18.ckpt", archive}},
        Files{{"net-e1-100.safetensors", model}, {"net-e2-200.safetensors", model}}}) {
    const auto refused = taken(files);
    ASSERT_FALSE(refused) << files.begin()->first;
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("folder of 2 checkpoints"));
  }
  EXPECT_THAT(versions(), IsEmpty());
  // Parts of one model are no series.
  for (const Files& files :
       {Files{{"model-00001-of-00002.safetensors", model},
              {"model-00002-of-00002.safetensors", model}},
        Files{{"layer_00.safetensors", model}, {"layer_01.safetensors", model}},
        Files{{"actor_1.safetensors", model}, {"critic_1.safetensors", model}},
        Files{{"epoch=1-step=9.ckpt", archive}, {"model.safetensors", model}}}) {
    const auto stored = taken(files);
    EXPECT_TRUE(stored) << files.begin()->first << ": " << stored.error().message;
  }
}

TEST_F(Snapshots, OfAnUnlikeModelStandOnNothing) {
  writeCheckpoint(10);
  ASSERT_TRUE(snapshot(10));
  writeCheckpoint(20);
  test::writeWhole(
      checkpoint(20) / "model.safetensors",
      test::safetensorsFile(R"({"x":{"dtype":"F32","shape":[100,40],"data_offsets":[0,16000]}})",
                            test::randomFloats(4000, 77)));
  const auto unlike = snapshot(20);
  ASSERT_TRUE(unlike) << unlike.error().message;
  EXPECT_TRUE(unlike->added.version.isBase());
  EXPECT_EQ(unlike->added.unlikeBase, "run:v1");
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20"));
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

/// Nothing of it is like weights of NaN.
TEST_F(Snapshots, StandOnWhatCameBeforeOnesOfNaN) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(snapshot(step));
  }
  for (const std::uint64_t step : {30U, 40U}) {
    writeCheckpoint(step);
    const fs::path file = checkpoint(step) / "model.safetensors";
    std::string bytes = test::readWhole(file);
    const std::size_t data = bytes.size() - 4 * 4096;
    for (std::size_t at = data; at < bytes.size(); at += 4) bytes.replace(at, 4, "\0\0\xC0\x7F"s);
    test::writeWhole(file, bytes);
    ASSERT_TRUE(snapshot(step));
  }
  writeCheckpoint(50);
  const auto after = snapshot(50);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->added.version.parentDigest, store().resolve("run:v2")->contentDigest);
  writeCheckpoint(60);
  const auto next = snapshot(60);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->added.version.parentDigest, store().resolve("run:v5")->contentDigest);
}

}  // namespace
}  // namespace strata
