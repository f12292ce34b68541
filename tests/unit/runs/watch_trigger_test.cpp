#include <gmock/gmock.h>

#include "core/ops/runs/watch_folder.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Weights of two seeds differ by some 0.0001 of their size, those of one seed not at all.
class WatchTrigger : public test::RunFixture {
 protected:
  Result<WatchReport> watchFrom(double leastDrift) {
    said_.clear();
    return watchOnce([&](WatchOptions& options) { options.snapshot.leastDrift = leastDrift; });
  }
};

TEST_F(WatchTrigger, StoresWhatHasDriftedAlone) {
  writeCheckpoint(10, 1);
  writeCheckpoint(20, 1);
  writeCheckpoint(30, 2);
  const auto watched = watchFrom(1e-6);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 2U);
  EXPECT_EQ(watched->skipped, 1U);
  EXPECT_EQ(watched->passed, 0U);
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-30"));
}

TEST_F(WatchTrigger, SkipsTheSameAfterARestart) {
  writeCheckpoint(10, 1);
  writeCheckpoint(20, 1);
  writeCheckpoint(30, 2);
  ASSERT_TRUE(watchFrom(1e-6));
  const auto again = watchFrom(1e-6);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->taken, 0U);
  EXPECT_EQ(again->known, 2U);
  EXPECT_EQ(again->skipped, 1U) << "compared with step 10, and not with the newest";
}

TEST_F(WatchTrigger, MeasuresFromTheLastOneThatWasTaken) {
  writeCheckpoint(10, 1);
  for (const std::uint64_t step : {20U, 30U, 40U}) {
    writeCheckpoint(step, static_cast<unsigned>(step));
  }
  const auto watched = watchFrom(0.5);
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U) << "the first one has nothing before it";
  EXPECT_EQ(watched->skipped, 3U);
}

TEST_F(WatchTrigger, SaysThatTheLastOneIsNotStored) {
  writeCheckpoint(10, 1);
  writeCheckpoint(20, 1);
  ASSERT_TRUE(watchFrom(1e-6));
  EXPECT_THAT(said_, Contains(HasSubstr("strata snapshot run")));
  writeCheckpoint(30, 2);
  ASSERT_TRUE(watchFrom(1e-6));
  EXPECT_THAT(said_, Not(Contains(HasSubstr("strata snapshot"))));
}

TEST_F(WatchTrigger, StoresWhatADistanceDoesNotTell) {
  writeCheckpoint(10, 1);
  writeCheckpoint(20, 1);
  const std::string header = R"({"head":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
  test::writeWhole(checkpoint(20) / "head.safetensors",
                   test::safetensorsFile(header, std::string(16, 'h')));
  const auto watched = watchFrom(1e-6);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 2U);
}

/// What the way that was given up has stored does not count.
TEST_F(WatchTrigger, FollowsARunThatWentBack) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    writeCheckpoint(step, static_cast<unsigned>(step));
  }
  ASSERT_TRUE(watchFrom(1e-6));
  std::filesystem::remove_all(checkpoint(20));
  std::filesystem::remove_all(checkpoint(30));
  writeCheckpoint(20, 7);
  ASSERT_TRUE(watchFrom(1e-6));
  EXPECT_EQ(versions().size(), 4U);
  writeCheckpoint(35, 30);  // the weights of the other way's last one
  const auto watched = watchFrom(1e-6);
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U);
}

/// The first one of the new way is near to what the old way had at its step.
TEST_F(WatchTrigger, ComparesNothingWithItsOwnStep) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    writeCheckpoint(step, static_cast<unsigned>(step));
  }
  ASSERT_TRUE(watchFrom(1e-6));
  test::writeWhole(checkpoint(20) / "config.json", "{} ");
  const auto watched = watchFrom(1e-6);
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U);
  EXPECT_EQ(watched->skipped, 0U);
}

/// A run that goes on from step 10, although step 20 is stored. The log of its trainer says so.
TEST_F(WatchTrigger, FollowsTheTrainersLog) {
  const auto writeLog = [&](std::uint64_t step, const std::string& log) {
    test::writeWhole(
        checkpoint(step) / "trainer_state.json",
        R"({"global_step": )" + std::to_string(step) + R"(, "log_history": [)" + log + "]}");
  };
  const std::string first = R"({"loss": 0.5, "step": 10})";
  writeCheckpoint(10, 1);
  writeLog(10, first);
  writeCheckpoint(20, 2);
  writeLog(20, first + R"(, {"loss": 0.4, "step": 20})");
  ASSERT_TRUE(watchFrom(1e-6));
  writeCheckpoint(25, 2);  // as near as can be to step 20
  writeLog(25, first + R"(, {"loss": 0.41, "step": 20}, {"loss": 0.3, "step": 25})");
  ASSERT_TRUE(watchFrom(1e-6));
  EXPECT_THAT(versions(), ElementsAre("run:v1 step-10", "run:v2 step-20", "run:v3 step-25"));
  writeCheckpoint(27, 2);
  writeLog(27, first + R"(, {"loss": 0.41, "step": 20}, {"loss": 0.3, "step": 25})");
  const auto watched = watchFrom(1e-6);
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->skipped, 1U) << "it is near to step 25 of its own way";
}

TEST_F(WatchTrigger, IsOfASingleSnapshotToo) {
  writeCheckpoint(10, 1);
  writeCheckpoint(20, 1);
  ASSERT_TRUE(snapshot(10));
  SnapshotOptions options{.add = {.name = "run"}, .path = checkpoint(20), .leastDrift = 1e-6};
  const auto near = takeSnapshot(store(), tools_, options, {}, {});
  ASSERT_TRUE(near) << near.error().message;
  EXPECT_TRUE(near->isTooNear());
  EXPECT_EQ(near->nearTo, "run:v1");
  EXPECT_EQ(near->drift, 0.0);
  options.leastDrift.reset();
  ASSERT_TRUE(takeSnapshot(store(), tools_, options, {}, {}));
  EXPECT_EQ(versions().size(), 2U);
}

}  // namespace
}  // namespace strata
