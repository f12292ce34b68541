// Runs that go to a remote and come back.
#include <gmock/gmock.h>

#include "core/archive/write/version_writer.h"
#include "core/ops/care/collect_garbage.h"
#include "core/ops/detail/renamed_names.h"
#include "core/ops/detail/replaced_snapshots.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/store_writer.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PulledRun : public test::RunFixture {
 protected:
  void SetUp() override {
    test::RunFixture::SetUp();
    for (const std::uint64_t step : {10U, 20U, 30U}) {
      writeCheckpoint(step);
      ASSERT_TRUE(snapshot(step));
    }
    ASSERT_TRUE(push());
  }
  Result<PushReport> push() { return pushVersions(store(), remote_, {.keptAs = "hub"}, {}, {}); }
  PullReport pull(const PullOptions& how = {}) {
    PullOptions options = how;
    options.keptAs = "hub";
    const auto pulled = pullVersions(store(), remote_, options, {}, {});
    EXPECT_TRUE(pulled) << pulled.error().message;
    return pulled.value_or(PullReport{});
  }
  void keepOneOptimizer() {
    const auto done = pruneVersions(store(), {.names = {"run"}, .keepOptimizer = 1}, {}, {});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->optimizers.dropped.size(), 2U);
  }
  std::uint64_t toPull() {
    EXPECT_TRUE(fetchRemote(store(), remote_, "hub", {}));
    return remoteDifference(store(), "hub").value()->toPull;
  }

  hub::FolderTransport remote_{folder_ / "remote"};
};

TEST_F(PulledRun, BringsNoParentsOfWhatStandsOnNoneHere) {
  keepOneOptimizer();
  ASSERT_TRUE(emptyTrash(store(), {}));
  const Digest before = store().resolve("run:v3")->manifestDigest;
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false, .recode = true}, {}));
  ASSERT_NE(store().resolve("run:v3")->manifestDigest, before);
  const std::vector<std::string> kept = versions();
  EXPECT_EQ(toPull(), 0U);
  EXPECT_THAT(pull({.dryRun = true}).pulled, IsEmpty());
  const PullReport pulled = pull();
  EXPECT_THAT(pulled.pulled, IsEmpty());
  EXPECT_EQ(pulled.byteCount, 0U);
  EXPECT_EQ(versions(), kept);
  // By name they come, with all that they need.
  EXPECT_THAT(pull({.references = {"run:v2"}}).pulled, SizeIs(2));
}

TEST_F(PulledRun, BringsNoOptimizerBackThatWasLeftOutHere) {
  keepOneOptimizer();
  const std::vector<std::string> kept = versions();
  for (const bool isPushed : {false, true}) {
    if (isPushed) {
      ASSERT_TRUE(push());
    }
    EXPECT_EQ(toPull(), 0U);
    EXPECT_THAT(pull({.dryRun = true}).pulled, IsEmpty());
    const PullReport pulled = pull();
    EXPECT_THAT(pulled.pulled, IsEmpty());
    EXPECT_THAT(pulled.problems, IsEmpty());
    EXPECT_THAT(pulled.replaced, ElementsAre("run:v1", "run:v2"));
    EXPECT_EQ(versions(), kept);
    ASSERT_TRUE(emptyTrash(store(), {}));
  }
  // Who asks for it by name gets it.
  EXPECT_THAT(pull({.references = {"run:v1"}}).pulled, SizeIs(1));
  EXPECT_THAT(versions(), Contains("run:v1"));
  EXPECT_THAT(pull().replaced, ElementsAre("run:v2"));
}

TEST_F(PulledRun, KnowsThemUnderAnotherNameToo) {
  keepOneOptimizer();
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(renameVersions(store(), {.name = "run", .newName = "old"}));
  EXPECT_EQ(toPull(), 0U);
  const PullReport pulled = pull();
  EXPECT_THAT(pulled.pulled, IsEmpty());
  EXPECT_THAT(store().catalog().versionsOf("run").value(), IsEmpty());
}

/// What has the place of a snapshot may itself be removed: then nothing does.
TEST_F(PulledRun, BringsThemWhereNothingHasTheirPlace) {
  keepOneOptimizer();
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:step-10"}}));
  const PullReport pulled = pull();
  ASSERT_THAT(pulled.pulled, SizeIs(1));
  EXPECT_EQ(pulled.pulled[0].version.label(), "run:v1");
}

/// As a merge of differences does it (StoreWriter::replaceVersion): all of them are lossy.
class ReplacedLossy : public PulledRun {
 protected:
  /// A lossy version of `seed` under the name "run", of what `original` stands for.
  VersionRef lossy(const test::MemoryModel& model, const Digest& original, std::int64_t addedAt,
                   Manifest& out) {
    const auto staged = StagedObjects::make(store().folder());
    Manifest loss;
    loss.lossy = true;
    loss.originalDigest = original;
    WriteOptions write;
    write.recoded = &loss;
    auto written = writeVersion(model, nullptr, write, **staged, {}, {});
    EXPECT_TRUE(written) << written.error().message;
    writer_ = store().lock("add").value();
    EXPECT_TRUE(writer_->take(**staged));
    VersionRef ref;
    ref.name = "run";
    ref.addedAt = addedAt;
    ref.contentDigest = written->contentDigest;
    ref.manifestDigest = written->manifestDigest;
    out = written->manifest;
    return ref;
  }
  ManifestSummary summaryOf(const Manifest& manifest, const VersionRef& ref) {
    return summarize(manifest, ref.manifestDigest, store().objects());
  }

  std::unique_ptr<StoreWriter> writer_;
};

TEST_F(ReplacedLossy, StaysAwayWhereItWasHere) {
  const auto base = test::makeModel(1);
  const Digest original = store().resolve("run:v3")->contentDigest;
  Manifest manifest;
  VersionRef ref = lossy(*base, original, 1000, manifest);
  const auto former = writer_->addVersion(ref, summaryOf(manifest, ref), {"kept"});
  ASSERT_TRUE(former) << former.error().message;
  writer_.reset();
  ASSERT_TRUE(push());
  ref = lossy(*test::makeTuned(*base, 5), original, 0, manifest);
  ASSERT_TRUE(writer_->replaceVersion(*former, ref, summaryOf(manifest, ref), "recode"));
  writer_.reset();
  for (int i = 0; i < 2; ++i) {
    const PullReport pulled = pull();
    EXPECT_THAT(pulled.pulled, IsEmpty());
    EXPECT_THAT(pulled.replaced, ElementsAre(former->label()));
    EXPECT_EQ(toPull(), 0U);
    ASSERT_TRUE(emptyTrash(store(), {}));
  }
}

/// One that another machine stored in the same second is none of these.
TEST_F(ReplacedLossy, IsToldFromWhatNeverWasHere) {
  keepOneOptimizer();
  const auto own = store().resolve("run:step-10");
  ASSERT_TRUE(own && own->lossy);
  RemoteVersion there;
  there.ref.name = "run";
  there.ref.number = 3;
  there.ref.contentDigest = sha256(std::as_bytes(std::span("another")));
  there.ref.addedAt = own->addedAt;
  there.lossy = true;
  there.originalBytes = own->originalBytes + 1;
  const auto renamed = RenamedNames::load(store().catalog());
  ASSERT_TRUE(renamed);
  EXPECT_EQ(ReplacedSnapshots(store(), *renamed).inPlaceOf(there)->has_value(), false);
}

}  // namespace
}  // namespace strata
