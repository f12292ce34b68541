#include "core/ops/runs/drop_optimizer.h"

#include <gmock/gmock.h>

#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/version_log.h"
#include "core/ops/runs/list_runs.h"
#include "core/ops/runs/resume_run.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/run_tags.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DroppedOptimizer : public test::RunFixture {
 protected:
  void takeThree() {
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
  }
  Result<PruneReport> prune(std::uint64_t keepOptimizer) {
    return pruneVersions(store(), {.names = {"run"}, .keepOptimizer = keepOptimizer}, {}, {});
  }
  /// Of a checkpoint without `optimizer.pt`.
  std::map<std::string, std::string> filesWithout(std::uint64_t step) const {
    auto files = test::filesBelow(checkpoint(step));
    files.erase("optimizer.pt");
    return files;
  }
  std::map<std::string, std::string> restored(const std::string& reference) {
    const fs::path back = folder_ / ("back " + reference);
    const auto done = restoreVersion(store(), {.reference = reference, .target = back}, {}, {});
    EXPECT_TRUE(done) << done.error().message;
    return test::filesBelow(back);
  }
  void expectSound() {
    const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->damages, IsEmpty());
  }
};

TEST_F(DroppedOptimizer, LeavesAllOtherFilesOfOlderSnapshots) {
  takeThree();
  const auto done = prune(1);
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->optimizers.dropped.size(), 2U);
  EXPECT_EQ(done->optimizers.dropped.front().former.label(), "run:v1");
  EXPECT_EQ(done->optimizers.dropped.front().now.label(), "run:v4");
  EXPECT_EQ(done->optimizers.dropped.front().stateBytes,
            fs::file_size(checkpoint(10) / "optimizer.pt"));
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-30", "run:v4 step-10", "run:v5 step-20"));
  EXPECT_EQ(restored("run:step-10"), filesWithout(10));
  EXPECT_EQ(restored("run:step-20"), filesWithout(20));
  EXPECT_EQ(restored("run:step-30"), test::filesBelow(checkpoint(30)));
  expectSound();
}

TEST_F(DroppedOptimizer, IsSaidOfTheVersion) {
  takeThree();
  ASSERT_TRUE(prune(2));
  const auto now = store().resolve("run:step-10");
  EXPECT_TRUE(now->lossy);
  EXPECT_TRUE(isWeightsOnly(*now));
  EXPECT_FALSE(store().resolve("run:step-20")->lossy);
  EXPECT_FALSE(store().resolve("run:step-30")->lossy);
  // What it was made of is known, and comes back.
  const auto former = store().catalog().version("run", 1, Place::Trash);
  ASSERT_TRUE(former && *former);
  EXPECT_EQ((*former)->addedAt, now->addedAt);
}

TEST_F(DroppedOptimizer, DoesNotMakeAnOldSnapshotTheNewest) {
  takeThree();
  ASSERT_TRUE(prune(1));
  EXPECT_EQ(store().resolve("run")->label(), "run:v3");
  EXPECT_EQ(store().resolve("run~1")->label(), "run:v5");
  EXPECT_EQ((*store().catalog().newest("run"))->label(), "run:v3");
  EXPECT_EQ(listRuns(store())->front().newest.version.label(), "run:v3");
  std::vector<std::string> log;
  const auto rows = versionLog(store(), {.name = "run"});
  ASSERT_TRUE(rows) << rows.error().message;
  for (const ListRow& row : rows->rows) {
    log.push_back(row.version.label());
  }
  EXPECT_THAT(log, ElementsAre("run:v3", "run:v5", "run:v4"));
  writeCheckpoint(40);
  const auto next = snapshot(40);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->added.version.parentDigest, store().resolve("run:v3")->contentDigest);
}

TEST_F(DroppedOptimizer, IsTakenBackAndDoneAgainAsOneOperation) {
  takeThree();
  const auto before = versions();
  const auto done =
      pruneVersions(store(), {.names = {"run"}, .keep = {.last = 2}, .keepOptimizer = 1}, {}, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-30", "run:v4 step-20"));
  const auto undone = undoOperation(store(), {});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(versions(), before);
  EXPECT_EQ(restored("run:step-10"), test::filesBelow(checkpoint(10)));
  expectSound();
  const auto again = undoOperation(store(), {.again = true});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-30", "run:v4 step-20"));
  expectSound();
}

/// Its checkpoint is another model: it has an optimizer.
TEST_F(DroppedOptimizer, IsMendedByItsCheckpointWhereItIsDamaged) {
  takeThree();
  ASSERT_TRUE(prune(1));
  ASSERT_TRUE(emptyTrash(store(), {}));
  const auto whole = store().resolve("run:v5");
  const auto objects = store().catalog().objectsOf(whole->manifestDigest);
  const auto others = store().catalog().objectsOf(store().resolve("run:v4")->manifestDigest);
  ASSERT_TRUE(objects && others);
  std::size_t lost = 0;
  for (const CatalogObject& one : *objects) {
    const auto isIt = [&](const CatalogObject& other) { return other.digest == one.digest; };
    if (one.isManifest || std::ranges::any_of(*others, isIt)) continue;
    const std::string digest = toHex(one.digest);
    lost += fs::remove(storeFolder() / "objects" / digest.substr(0, 2) / digest.substr(2)) ? 1 : 0;
  }
  ASSERT_GE(lost, 1U);
  const auto watched = watchOnce();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->mended, 1U);
  EXPECT_EQ(watched->taken, 0U);
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-30", "run:v4 step-10", "run:v5 step-20"));
  EXPECT_TRUE(isWeightsOnly(*store().resolve("run:v5")));
  EXPECT_EQ(restored("run:v5"), filesWithout(20));
  expectSound();
  EXPECT_EQ(watchOnce()->known, 3U) << "it is known as before";
}

TEST_F(DroppedOptimizer, IsNotLookedForTwice) {
  takeThree();
  ASSERT_TRUE(prune(1));
  const auto before = versions();
  const auto again = prune(1);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->optimizers.dropped, IsEmpty());
  EXPECT_EQ(versions(), before);
}

TEST_F(DroppedOptimizer, FreesItsBytesWithTheTrash) {
  takeThree();
  ASSERT_TRUE(prune(0));
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->versions.size(), 3U);
  EXPECT_THAT(emptied->needed, IsEmpty()) << "weights stand on no optimizer";
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    EXPECT_EQ(restored("run:step-" + std::to_string(step)), filesWithout(step));
  }
  expectSound();
}

TEST_F(DroppedOptimizer, IsNothingToResumeFrom) {
  takeThree();
  ASSERT_TRUE(prune(1));
  ResumeOptions options{.run = "run", .target = folder_ / "again"};
  const auto newest = resumeRun(store(), tools_, options, {}, {});
  ASSERT_TRUE(newest) << newest.error().message;
  EXPECT_EQ(newest->restored.version.label(), "run:v3");
  EXPECT_THAT(newest->passed, IsEmpty());
  options.step = 10;
  options.target = folder_ / "older";
  const auto older = resumeRun(store(), tools_, options, {}, {});
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ErrorCode::NotFound);
  EXPECT_THAT(older.error().message, HasSubstr("prune left its optimizer out"));
  EXPECT_FALSE(fs::exists(folder_ / "older"));
}

TEST_F(DroppedOptimizer, CannotBePartedFromWeightsInOneFile) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    const fs::path file = runFolder() / ("step=" + std::to_string(step) + ".ckpt");
    fs::rename(checkpoint(step) / "optimizer.pt", file);
    ASSERT_TRUE(takeSnapshot(store(), tools_, {.add = {.name = "run"}, .path = file}, {}, {}));
  }
  const auto before = versions();
  const auto done = prune(1);
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->optimizers.kept.size(), 1U);
  EXPECT_EQ(done->optimizers.kept.front().label, "run:v1");
  EXPECT_THAT(done->optimizers.kept.front().why, HasSubstr("cannot be parted"));
  EXPECT_EQ(versions(), before);
}

TEST_F(DroppedOptimizer, IsForetoldByADryRun) {
  takeThree();
  const auto before = versions();
  const auto told = pruneVersions(
      store(), {.names = {"run"}, .keep = {.last = 2}, .keepOptimizer = 1, .dryRun = true}, {}, {});
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_EQ(told->optimizers.dropped.size(), 1U) << "v1 goes as a whole";
  EXPECT_EQ(told->optimizers.dropped.front().former.label(), "run:v2");
  EXPECT_EQ(versions(), before);
}

TEST_F(DroppedOptimizer, KeepsItsChainShort) {
  constexpr std::uint64_t kCount = kMaxChainDepth + 4;
  for (std::uint64_t step = 1; step <= kCount; ++step) {
    writeCheckpoint(step);
    ASSERT_TRUE(snapshot(step));
  }
  ASSERT_TRUE(prune(1));
  std::uint32_t deepest = 0;
  for (std::uint64_t step = 1; step < kCount; ++step) {
    const auto version = store().resolve("run:step-" + std::to_string(step));
    ASSERT_TRUE(isWeightsOnly(*version));
    deepest = std::max(deepest, version->depth);
  }
  EXPECT_EQ(deepest, kMaxChainDepth);
  EXPECT_EQ(restored("run:step-11"), filesWithout(11));
}

TEST_F(DroppedOptimizer, KeepsThatOfARunThatWentBack) {
  for (const std::uint64_t step : {10U, 40U}) writeCheckpoint(step);
  const auto keepOne = [](WatchOptions& options) { options.keepOptimizer = 1; };
  ASSERT_TRUE(watchOnce(keepOne));
  std::filesystem::remove_all(checkpoint(40));
  writeCheckpoint(20);
  ASSERT_TRUE(watchOnce(keepOne));
  const auto last = store().resolve("run:step-20");
  ASSERT_TRUE(last);
  EXPECT_NE(last->profile, "weights-only");
  const auto furthest = store().resolve("run:step-40");
  ASSERT_TRUE(furthest);
  EXPECT_NE(furthest->profile, "weights-only");
  const auto first = store().resolve("run:step-10");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->profile, "weights-only");
  expectSound();
}

/// A name may lie: what is in the file counts.
TEST_F(DroppedOptimizer, KeepsWeightsUnderItsName) {
  const std::string header = R"({"encoder.layer.0.attention.self.query.weight":)"
                             R"({"dtype":"F32","shape":[8,8],"data_offsets":[0,256]}})";
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    test::writeWhole(checkpoint(step) / "optimizer.safetensors",
                     test::safetensorsFile(header, std::string(256, 'w')));
    ASSERT_TRUE(snapshot(step));
  }
  const auto before = versions();
  const auto done = prune(1);
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->optimizers.kept.size(), 1U);
  EXPECT_THAT(done->optimizers.kept.front().why, HasSubstr("holds weights"));
  EXPECT_EQ(versions(), before);
}

/// What was done is said, also where the rest of it failed.
TEST_F(DroppedOptimizer, IsToldThoughItEndsEarly) {
  takeThree();
  std::stop_source stop;
  stop.request_stop();
  const auto done = pruneVersions(
      store(), {.names = {"run"}, .keep = {.last = 2}, .keepOptimizer = 1}, stop.get_token(), {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->removal.versions.size(), 1U);
  ASSERT_TRUE(done->optimizers.ended);
  EXPECT_EQ(done->optimizers.ended->code, ErrorCode::Cancelled);
  EXPECT_THAT(versions(), ElementsAre("run:v2 step-20", "run:v3 step-30"));
}

TEST_F(DroppedOptimizer, FollowsAWatchedRun) {
  for (const std::uint64_t step : {10U, 20U, 30U}) writeCheckpoint(step);
  const auto keepOne = [](WatchOptions& options) { options.keepOptimizer = 1; };
  const auto watched = watchOnce(keepOne);
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->taken, 3U);
  EXPECT_THAT(versions(), ElementsAre("run:v3 step-10", "run:v4 step-30", "run:v5 step-20"));
  EXPECT_EQ(store().resolve("run")->label(), "run:v4");
  for (const char* const when : {"in the trash", "deleted for good"}) {
    SCOPED_TRACE(when);
    const auto again = watchOnce(keepOne);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->known, 3U);
    EXPECT_EQ(again->taken, 0U);
    ASSERT_TRUE(emptyTrash(store(), {}));
  }
  expectSound();
}

}  // namespace
}  // namespace strata
