// Snapshots that are damaged take no place of those that can be read.
#include <gmock/gmock.h>

#include "core/ops/runs/drop_optimizer.h"
#include "core/ops/versions/merge_deltas.h"
#include "core/ops/versions/prune_versions.h"
#include "core/profile/profile.h"
#include "core/store/run_tags.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

class DamagedNewest : public test::RunFixture {
 protected:
  void takeThree() {
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
    deletePacksOf("run:v3", "run:v2");
  }
};

TEST_F(DamagedNewest, IsNotTheOneThatKeepsItsOptimizer) {
  takeThree();
  const auto done = dropOptimizer(store(), {.run = "run"}, {}, {});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->dropped.size(), 1U);
  EXPECT_EQ(done->dropped.front().former.label(), "run:v1");
  ASSERT_EQ(done->kept.size(), 1U);
  EXPECT_EQ(done->kept.front().label, "run:v3");
  EXPECT_FALSE(isWeightsOnly(*store().resolve("run:step-20")));
}

TEST_F(DamagedNewest, IsNotTheOneThatPruningKeeps) {
  takeThree();
  const auto done = pruneVersions(store(), {.names = {"run"}, .keep = {.last = 1}}, {}, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v2 step-20", "run:v3 step-30"));
}

/// What it was lies in the trash, but that is emptied some day.
TEST_F(DamagedNewest, IsStoredAgainThoughItsFormerIsInTheTrash) {
  const Profile profile = *loadProfile({}, "lc-checkpoint");
  const auto watch = [&] {
    return watchOnce([&](WatchOptions& options) {
      options.snapshot.plan = profile.plan;
      options.snapshot.add.profile = profile.name;
    });
  };
  for (const std::uint64_t step : {10U, 20U, 30U}) writeCheckpoint(step);
  ASSERT_TRUE(watch());
  const auto merged = mergeDeltas(store(), {.reference = "run"}, {}, {});
  ASSERT_TRUE(merged) << merged.error().message;
  ASSERT_EQ(store().resolve("run:step-30")->label(), "run:v4");
  EXPECT_EQ(watch()->known, 3U);
  deletePacksOf("run:v4", "run:v1");
  const auto watched = watch();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 1U);
  const auto back =
      restoreVersion(store(), {.reference = "run:step-30", .target = folder_ / "back"}, {}, {});
  EXPECT_TRUE(back) << back.error().message;
}

}  // namespace
}  // namespace strata
