#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/archive/write/summed_errors.h"
#include "core/ops/inspect/show_version.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/merge_deltas.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/profile/profile.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kWeights = 4096;
constexpr float kUsualStep = 1e-3F;
/// Of every eighth weight, always the same way: too small for the buckets of one snapshot.
constexpr float kSmallStep = 2e-4F;

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - b[i], 2);
  return std::sqrt(sum);
}

/// A training whose snapshots are stored by the profile of LC-Checkpoint.
class LossyRuns : public test::RunFixture {
 protected:
  LossyRuns() : weights_(kWeights) {
    std::normal_distribution<float> start(0, 0.05F);
    for (float& w : weights_) w = start(random_);
    profile_ = *loadProfile({}, "lc-checkpoint");
  }

  /// The next checkpoint of the trainer.
  void train() {
    ++step_;
    std::normal_distribution<float> change(0, kUsualStep);
    for (std::size_t i = 0; i < kWeights; ++i) {
      weights_[i] += i % 8 == 0 ? kSmallStep : change(random_);
    }
    writeCheckpoint(step_);
    const fs::path file = checkpoint(step_) / "model.safetensors";
    std::string bytes = test::readWhole(file);
    std::memcpy(bytes.data() + bytes.size() - 4 * kWeights, weights_.data(), 4 * kWeights);
    test::writeWhole(file, bytes);
  }

  SnapshotReport store(std::uint64_t step) {
    const auto taken = takeSnapshot(RunFixture::store(), tools_, options(step), {}, {});
    EXPECT_TRUE(taken) << taken.error().message;
    return taken ? *taken : SnapshotReport{};
  }

  SnapshotOptions options(std::uint64_t step) const {
    SnapshotOptions options{.add = {.name = "run"}, .plan = profile_.plan};
    options.add.profile = profile_.name;
    options.path = checkpoint(step);
    return options;
  }

  std::vector<float> restored(const std::string& reference) {
    const fs::path back = folder_ / "back";
    fs::remove_all(back);
    const auto done =
        restoreVersion(RunFixture::store(), {.reference = reference, .target = back}, {}, {});
    EXPECT_TRUE(done) << done.error().message;
    const std::string bytes = test::readWhole(back / "model.safetensors");
    std::vector<float> weights(kWeights);
    std::memcpy(weights.data(), bytes.data() + bytes.size() - 4 * kWeights, 4 * kWeights);
    return weights;
  }

  Result<WatchReport> watchLossy() {
    return watchOnce([&](WatchOptions& options) {
      options.snapshot.plan = profile_.plan;
      options.snapshot.add.profile = profile_.name;
    });
  }

  /// So many snapshots, the first of which is exact.
  void takeSnapshots(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      train();
      store(step_);
    }
  }

  Result<MergeReport> merge(const std::string& reference, bool dryRun = false) {
    return mergeDeltas(RunFixture::store(), {.reference = reference, .dryRun = dryRun}, {}, {});
  }

  Result<MergeReport> mergeFor(const std::string& target) {
    Profile profile{.name = "mine"};
    profile.plan =
        *parseQualityPlan("[target]\n" + target + "\n[quantize]\ncodec = \"levels\"\n", "mine");
    return mergeDeltas(RunFixture::store(), {.reference = "run", .profile = profile}, {}, {});
  }

  Manifest manifestOf(const std::string& reference) {
    const VersionEntry version = RunFixture::store().resolve(reference).value();
    return readManifest(RunFixture::store(), version.manifestDigest, version.contentDigest).value();
  }

  bool saysSum(const std::string& reference) {
    const auto shown = showVersion(RunFixture::store(), {.reference = reference});
    EXPECT_TRUE(shown) << shown.error().message;
    return shown && hasSummedErrors(shown->metadata);
  }

  /// Searches settings of the profile with a program that tells how far weights are from those of
  /// the checkpoint: the mean square is the divergence, the score says nothing.
  SnapshotReport storeScored(std::uint64_t step, const std::string& settings) {
    SnapshotOptions scored = options(step);
    scored.add.profile = "mine";
    const auto plan =
        parseQualityPlan("[target]\nquality_loss = 1\n[quantize]\n" + settings, "mine");
    EXPECT_TRUE(plan) << plan.error().message;
    scored.plan = *plan;
    scored.evaluator = EvaluatorOptions{"python3 " + evaluator().string(), {}, {}};
    const auto taken = takeSnapshot(RunFixture::store(), tools_, scored, {}, {});
    EXPECT_TRUE(taken) << taken.error().message;
    return taken ? *taken : SnapshotReport{};
  }

  fs::path evaluator() const {
    fs::path script = folder_ / "evaluate.py";
    test::writeWhole(script, R"(import array, json, sys
reference = None
for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["model"] + "/model.safetensors", "rb") as file:
        words = array.array("f", file.read()[-4 * 4096:])
    if asked.get("reference"):
        reference = words
    squares = sum((a - b) ** 2 for a, b in zip(words, reference)) / 4096
    print(json.dumps({"id": asked["id"], "score": 1, "divergence": squares}), flush=True)
)");
    return script;
  }

  /// The bits of its exponents.
  unsigned bitsOf(const VersionEntry& version) {
    const auto manifest =
        readManifest(RunFixture::store(), version.manifestDigest, version.contentDigest);
    const auto plan = parseQualityPlan(manifest->settings, "settings");
    EXPECT_TRUE(plan);
    return plan->quantize.rules.front().bits.value_or(0);
  }

  std::mt19937 random_{1};
  std::vector<float> weights_;
  std::uint64_t step_ = 0;
  Profile profile_;
};

TEST_F(LossyRuns, CodeEachSnapshotAgainstWhatTheOneBeforeRestoresTo) {
  std::map<Digest, std::vector<float>> contents;
  const double ofOneStep = kUsualStep * std::sqrt(double{kWeights});
  for (std::uint64_t t = 1; t <= 20; ++t) {
    train();
    const SnapshotReport taken = store(t);
    const VersionEntry& version = taken.added.version;
    ASSERT_EQ(version.lossy, t > 1) << version.label();
    const std::vector<float> back = restored(version.label());
    const double lost = distance(back, weights_);
    if (t > 1) {
      ASSERT_TRUE(version.parentDigest);
      const double coded = distance(contents.at(*version.parentDigest), weights_);
      EXPECT_NEAR(lost / coded, *taken.added.relativeError, 0.01) << version.label();
      EXPECT_LT(lost, 0.5 * coded) << version.label();
    }
    // Deltas of one model to the next would have lost a quarter of a step twenty times by now.
    if (version.depth > 2) {
      EXPECT_LT(lost, 0.8 * ofOneStep) << version.label();
    }
    contents[version.contentDigest] = back;
  }
  EXPECT_EQ(RunFixture::store().resolve("run")->label(), "run:v20");
}

TEST_F(LossyRuns, MergeTheirDifferencesIntoOne) {
  takeSnapshots(9);
  ASSERT_EQ(RunFixture::store().resolve("run")->depth, 8U);
  const std::vector<float> before = restored("run");
  const std::vector<float> first = restored("run:v1");
  const auto merged = merge("run");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_TRUE(merged->isMerged);
  EXPECT_EQ(merged->differences, 8U);
  EXPECT_EQ(merged->parentLabel, "run:v1");
  EXPECT_LT(merged->bytesAfter, merged->bytesBefore);
  const VersionEntry now = *RunFixture::store().resolve("run");
  EXPECT_EQ(now.label(), "run:v10");
  EXPECT_EQ(now.depth, 1U);
  EXPECT_EQ(now.profile, "lc-checkpoint");
  EXPECT_THAT(now.tags, ElementsAre("step-9"));
  EXPECT_FALSE(RunFixture::store().resolve("run:v9"));
  const std::vector<float> after = restored("run");
  const double error = distance(after, before) / distance(before, first);
  EXPECT_NEAR(error, *merged->relativeError, 0.01);
  EXPECT_GT(error, 0);
  const auto snapshots = runSnapshots(RunFixture::store(), "run");
  ASSERT_TRUE(snapshots);
  EXPECT_EQ(snapshots->front().shown(), "run:v10, step 9");
  EXPECT_TRUE(besideChosen(*snapshots, now).empty());
}

TEST_F(LossyRuns, SumTheErrorsOfWhatWasMerged) {
  takeSnapshots(5);
  EXPECT_FALSE(saysSum("run"));
  const Manifest former = manifestOf("run");
  const std::vector<float> first = restored("run:v1");
  const auto merged = merge("run");
  ASSERT_TRUE(merged) << merged.error().message;
  const Manifest manifest = manifestOf("run");
  EXPECT_EQ(manifest.originalDigest, former.originalDigest);
  EXPECT_FLOAT_EQ(manifest.relativeError,
                  former.relativeError + static_cast<float>(*merged->relativeError));
  EXPECT_EQ(merged->summedError, manifest.relativeError);
  EXPECT_LT(distance(restored("run"), weights_),
            manifest.relativeError * distance(weights_, first));
  EXPECT_TRUE(saysSum("run"));
  // It is said as long as the errors are those; others are measured against what they name.
  ASSERT_TRUE(recodeVersion(RunFixture::store(),
                            {.reference = "run", .baseChoice = RecodeBase::None, .force = true}, {},
                            {}));
  EXPECT_TRUE(saysSum("run"));
  ASSERT_TRUE(recodeVersion(
      RunFixture::store(),
      {.reference = "run", .baseChoice = RecodeBase::Reference, .base = "run:v1", .force = true},
      {}, {}));
  TuneOptions tune;
  tune.plan.quantize.rules = {{.codec = CodecId::Levels}};
  const auto again = recodeLossy(RunFixture::store(), "run", {}, tune, {}, {}, {});
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_TRUE(again->added);
  EXPECT_FALSE(saysSum("run"));
}

TEST_F(LossyRuns, AreNotExactWhereNothingMoreIsLost) {
  takeSnapshots(3);
  TuneOptions tune;
  tune.plan = profile_.plan;
  for (const char* const one : {"run:v2", "run:v2", "run:v3"}) {
    ASSERT_TRUE(recodeLossy(RunFixture::store(), one, {}, tune, {}, {}, {}));
  }
  const auto all = RunFixture::store().catalog().versionsOf("run");
  for (const VersionEntry& version : *all) {
    EXPECT_EQ(version.lossy, version.number > 1) << version.label();
  }
}

TEST_F(LossyRuns, MergeWhatIsLossyAlone) {
  takeSnapshots(3);
  train();
  ASSERT_TRUE(snapshot(step_));
  ASSERT_FALSE(RunFixture::store().resolve("run")->isBase());
  const auto exact = restored("run:v4");
  const auto one = merge("run");
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().message, HasSubstr("is exact"));
  takeSnapshots(2);
  const auto merged = merge("run");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->differences, 2U);
  EXPECT_EQ(merged->parentLabel, "run:v4");
  EXPECT_EQ(RunFixture::store().resolve("run")->depth, 4U);
  EXPECT_EQ(restored("run:v4"), exact);
}

TEST_F(LossyRuns, MergeNothingOfAnotherName) {
  takeSnapshots(3);
  for (int i = 0; i < 2; ++i) {
    train();
    SnapshotOptions fork = options(step_);
    fork.add.name = "fork";
    if (i == 0) fork.add.base = "run:v3";
    if (i == 0) fork.add.baseChoice = BaseChoice::Reference;
    ASSERT_TRUE(takeSnapshot(RunFixture::store(), tools_, fork, {}, {}));
  }
  const auto merged = merge("fork");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->differences, 2U);
  EXPECT_EQ(merged->parentLabel, "run:v3");
  EXPECT_EQ(RunFixture::store().resolve("fork")->depth, 3U);
}

TEST_F(LossyRuns, MergeForATarget) {
  takeSnapshots(4);
  const auto before = versions();
  const auto missed = mergeFor("size = \"100 B\"");
  ASSERT_TRUE(missed) << missed.error().message;
  EXPECT_TRUE(missed->isMissed());
  EXPECT_FALSE(missed->isMerged);
  EXPECT_EQ(versions(), before);
  const std::vector<float> former = restored("run");
  const auto met = mergeFor("error = 0.4");
  ASSERT_TRUE(met) << met.error().message;
  ASSERT_TRUE(met->isMerged);
  EXPECT_LE(*met->relativeError, 0.4);
  EXPECT_LT(distance(restored("run"), former), 0.401 * distance(former, restored("run:v1")));
}

TEST_F(LossyRuns, GoOnFromWhatWasMerged) {
  takeSnapshots(9);
  ASSERT_TRUE(merge("run"));
  // What the run had of this checkpoint is in the trash; it counts as taken all the same.
  const auto watched = watchOnce([&](WatchOptions& watch) {
    watch.snapshot.plan = profile_.plan;
    watch.snapshot.add.profile = profile_.name;
  });
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 0U);
  EXPECT_EQ(watched->known, 9U);
  train();
  const SnapshotReport next = store(10);
  EXPECT_EQ(next.added.parentLabel, "run:v10");
  EXPECT_EQ(next.added.version.depth, 2U);
  const double lost = distance(restored("run"), weights_);
  EXPECT_LT(lost, distance(restored("run:v10"), weights_));
}

TEST_F(LossyRuns, AreAsTheyWereAfterUndo) {
  takeSnapshots(4);
  const auto before = versions();
  const std::vector<float> weights = restored("run");
  ASSERT_TRUE(merge("run", true));
  EXPECT_EQ(versions(), before);
  ASSERT_TRUE(merge("run"));
  EXPECT_NE(versions(), before);
  const auto undone = undoOperation(RunFixture::store(), {});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(versions(), before);
  EXPECT_EQ(restored("run"), weights);
}

TEST_F(LossyRuns, SearchTheirSettingsNearThoseOfTheSnapshotBefore) {
  const std::string grid = "codec = \"exponent\"\n[search]\nmethod = \"guided\"\n";
  train();
  EXPECT_THAT(storeScored(1, grid).exactBecause, HasSubstr("nothing here is like this one"));
  train();
  const SnapshotReport first = storeScored(2, grid);
  ASSERT_TRUE(first.tune) << first.exactBecause;
  EXPECT_EQ(first.tune->search.trials.front().what, kNoChange);
  EXPECT_GE(first.tune->search.trials.size(), 6U);  // settings that give one model count once
  const unsigned bits = bitsOf(first.added.version);
  EXPECT_GT(bits, 0U);
  train();
  const SnapshotReport second = storeScored(3, grid);
  ASSERT_TRUE(second.tune) << second.exactBecause;
  EXPECT_LE(second.tune->search.trials.size(), 4U);
  EXPECT_GE(bitsOf(second.added.version), bits);
  ASSERT_EQ(second.added.quality.size(), 1U);
}

TEST_F(LossyRuns, StoreExactlyWhatIsNoNearerThanTheSnapshotBefore) {
  takeSnapshots(1);
  train();
  // Four levels for weights are far coarser than what one step changes, whatever the score says.
  const SnapshotReport taken =
      storeScored(2, "codec = \"index\"\nlevels = 4\n[search]\nmethod = \"fixed\"\n");
  EXPECT_FALSE(taken.added.version.lossy);
  EXPECT_THAT(taken.exactBecause, HasSubstr("half of the divergence"));
  EXPECT_EQ(taken.added.version.profile, "exact");
  EXPECT_EQ(restored("run"), weights_);
}

TEST_F(LossyRuns, StoreExactlyWhatCannotBeScored) {
  takeSnapshots(1);
  train();
  const auto watched = watchOnce([&](WatchOptions& watch) {
    watch.snapshot.plan = profile_.plan;
    watch.snapshot.add.profile = profile_.name;
    watch.snapshot.plan->target.qualityLoss = 1;
    watch.snapshot.evaluator = EvaluatorOptions{"false", {}, {}};
  });
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->taken, 1U);
  EXPECT_FALSE(RunFixture::store().resolve("run:step-2")->lossy);
  EXPECT_EQ(restored("run"), weights_);
}

TEST_F(LossyRuns, MergeNothingElse) {
  takeSnapshots(3);
  const auto exact = merge("run:v1");
  ASSERT_FALSE(exact);
  EXPECT_THAT(exact.error().message, HasSubstr("is exact"));
  const auto older = merge("run:v2");
  ASSERT_FALSE(older);
  EXPECT_THAT(older.error().message, HasSubstr("is not the newest of its name, which is run:v3"));
  ASSERT_TRUE(merge("run"));
  const auto again = merge("run");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->isMerged);
  EXPECT_EQ(versions().size(), 3U);
}

/// What it was made of is remembered, not what it restored to alone.
TEST_F(LossyRuns, AreNotTakenAgainOnceDeletedForGood) {
  train();
  train();
  ASSERT_TRUE(watchLossy());
  ASSERT_TRUE(RunFixture::store().resolve("run:v2")->lossy);
  ASSERT_TRUE(removeVersions(RunFixture::store(), {.references = {"run:v2"}, .now = true}));
  said_.clear();
  const auto again = watchLossy();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->taken, 0U);
  EXPECT_EQ(again->known, 2U);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("strata snapshot run")));
  // The note outlives the file: the catalog repeats it, and a writer brings it back.
  fs::remove(storeFolder() / "refs" / "run" / "last.json");
  ASSERT_TRUE(RunFixture::store().lock("test"));
  train();
  const auto more = watchLossy();
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->taken, 1U);
  EXPECT_EQ(versions().size(), 2U);
  EXPECT_EQ(watchLossy()->taken, 0U);
  // Who wants it exactly, or by name, gets it.
  EXPECT_EQ(watchOnce()->taken, 2U);
}

}  // namespace
}  // namespace strata
