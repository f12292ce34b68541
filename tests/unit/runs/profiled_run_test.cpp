// Runs that are stored exactly, and with a profile that quantizes the weights.
#include <gmock/gmock.h>

#include "core/ops/runs/drop_optimizer.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/trash.h"
#include "core/profile/profile.h"
#include "core/store/run_tags.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class RunOfAProfile : public test::RunFixture, public ::testing::WithParamInterface<bool> {
 protected:
  Result<WatchReport> watch() {
    return watchOnce([this](WatchOptions& options) {
      if (!GetParam()) return;
      options.snapshot.plan = profile_.plan;
      options.snapshot.add.profile = profile_.name;
    });
  }
  Profile profile_ = *loadProfile({}, "lc-checkpoint");
};

/// Whichever was stored last.
TEST_P(RunOfAProfile, BeginsWithTheExactSnapshotOfAStep) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(watch());
  }
  ASSERT_TRUE(snapshot(20));  // exactly
  writeCheckpoint(20, 77);
  ASSERT_TRUE(watch());
  const auto snapshots = runSnapshots(store(), "run");
  ASSERT_TRUE(snapshots);
  EXPECT_EQ(snapshots->front().version.lossy, false);
  EXPECT_EQ(newestToResume(*snapshots).version.label(), "run:v3");
  EXPECT_EQ(snapshots->size(), GetParam() ? 4U : 3U);
}

/// The trainer deletes what a watcher knows.
TEST_P(RunOfAProfile, StoresOrMendsADamagedRest) {
  for (const std::uint64_t step : {10U, 20U, 30U}) writeCheckpoint(step);
  ASSERT_TRUE(watch());
  ASSERT_TRUE(dropOptimizer(store(), {.run = "run"}, {}, {}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(isWeightsOnly(*store().resolve("run:step-20")));
  ASSERT_EQ(watch()->known, 3U);
  deletePacksOf("run:step-20", "run:step-10");
  const auto watched = watch();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken + watched->mended, 1U);
  const fs::path back = folder_ / "back";
  const auto done = restoreVersion(store(), {.reference = "run:step-20", .target = back}, {}, {});
  ASSERT_TRUE(done) << done.error().message;
  if (!GetParam()) {
    EXPECT_EQ(test::readWhole(back / "model.safetensors"),
              test::readWhole(checkpoint(20) / "model.safetensors"));
  }
  EXPECT_EQ(watch()->known, 3U);
}

INSTANTIATE_TEST_SUITE_P(Runs, RunOfAProfile, ::testing::Bool());

}  // namespace
}  // namespace strata
