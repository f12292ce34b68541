#include <gtest/gtest.h>

#include "core/archive/layout.h"
#include "core/archive/write/steps/former_steps.h"
#include "core/codec/exact/delta_codec.h"
#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

constexpr std::uint64_t kApart = 6;

/// Snapshots of a table of which each step reaches few rows.
class RowStepsOfRuns : public testing::Test {
 protected:
  RowStepsOfRuns() {
    run_.touchOneRowIn(2 * kApart);
    add({});
  }

  /// Goes on and stores what is there then, upon the last one.
  WriteReport next(bool knowsSteps = true) {
    for (std::uint64_t i = 0; i < kApart; ++i) run_.step();
    WriteOptions options;
    if (knowsSteps) options.stepGroups = run_.groupsApart(kApart);
    return add(options);
  }

  WriteReport add(const WriteOptions& options) {
    models_.push_back(run_.snapshot());
    const Reader parent = readers_.empty() ? nullptr : readers_.back();
    WriteReport report = store_.add(*models_.back(), parent, options);
    readers_.push_back(store_.reader(report, parent));
    return report;
  }

  ManifestTensor tensor(const std::string& name) const {
    for (const ManifestTensor& one : readers_.back()->manifest().tensors) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no tensor " << name;
    return readers_.back()->manifest().tensors.front();
  }

  PredictorId predictorIn(const std::string& name) const {
    const ManifestTensor of = tensor(name);
    const auto layout = layoutOf(of);
    if (!layout || !of.parts.front().section) return PredictorId::None;
    const auto found = predictorOf(layout->shapeOf(layout->parts[0]),
                                   readers_.back()->payload(*of.parts.front().section));
    return found ? found->id() : PredictorId::None;
  }

  TrainingRun run_{{{"table.weight", {1200, 64}}}};
  VersionStore store_;
  std::vector<std::unique_ptr<MemoryModel>> models_;
  std::vector<Reader> readers_;
};

TEST_F(RowStepsOfRuns, TellRowsThatOneGradientReached) {
  next();
  EXPECT_EQ(predictorIn("table.weight"), PredictorId::RowWeights);
  EXPECT_EQ(predictorIn("table.weight.exp_avg_sq"), PredictorId::RowMoment);
  // Roundings alone are left.
  const std::uint64_t state = run_.stateBytes();
  EXPECT_LT(storedBytes(tensor("table.weight")), state / 5);
  EXPECT_LT(storedBytes(tensor("table.weight.exp_avg_sq")), state / 7);
  EXPECT_LT(storedBytes(tensor("table.weight.exp_avg")), state / 2);
  expectRestores(*readers_.back(), *models_.back());
}

TEST_F(RowStepsOfRuns, FollowEachOther) {
  for (int i = 0; i < 3; ++i) next(i != 1);
  EXPECT_EQ(predictorIn("table.weight"), PredictorId::RowWeights);
  for (std::size_t i = 0; i < readers_.size(); ++i) expectRestores(*readers_[i], *models_[i]);
}

TEST_F(RowStepsOfRuns, AreKnownAgainWhereAVersionIsCodedAnew) {
  const WriteReport first = next();
  WriteOptions options;
  options.stepGroups = formerSteps(*readers_.back(), models_.back()->description());
  ASSERT_EQ(options.stepGroups.size(), 1U);
  EXPECT_EQ(options.stepGroups[0].weights, 0U);
  EXPECT_EQ(options.stepGroups[0].secondMoment, 2U);
  const WriteReport again = store_.add(*models_.back(), readers_.front(), options);
  const auto bytesOf = [](const WriteReport& report) {
    std::uint64_t sum = 0;
    for (const ManifestTensor& one : report.manifest.tensors) sum += storedBytes(one);
    return sum;
  };
  EXPECT_LE(bytesOf(again), bytesOf(first) + 64);
  expectRestores(*store_.reader(again, readers_.front()), *models_.back());
}

}  // namespace
}  // namespace strata::test
