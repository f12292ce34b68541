#include "core/archive/write/steps/step_fit.h"

#include <gtest/gtest.h>

#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

/// A run after a step, and the version before it.
class StepFit : public testing::Test {
 protected:
  void SetUp() override {
    const auto before = run_.snapshot();
    parent_ = store_.reader(store_.add(*before));
    run_.step(3e-5);
    model_ = run_.snapshot();
    for (const StepGroup& group : run_.groups()) {
      list_.pairs.push_back({*group.weights, group.firstMoment, group.secondMoment, std::nullopt});
    }
    list_.settings.step = 4;  // three before the first snapshot
    list_.settings.rates = {1e-3};
  }

  std::vector<StepGroup> fitted(std::initializer_list<OptimizerSettings> lists) const {
    const auto groups = fitSteps(model_->description(), *parent_, {lists.begin(), lists.size()});
    EXPECT_TRUE(groups) << groups.error().message;
    return groups.value_or(std::vector<StepGroup>{});
  }

  TrainingRun run_{{{"body.weight", {200, 300}}, {"body.bias", {200}}, {"head", {7}}}};
  VersionStore store_;
  Reader parent_;
  std::unique_ptr<MemoryModel> model_;
  OptimizerSettings list_;
};

TEST_F(StepFit, FindsTheStepAndItsRate) {
  const auto groups = fitted({list_});
  ASSERT_EQ(groups.size(), 3U);
  for (const StepGroup& group : groups) {
    ASSERT_EQ(group.steps.size(), 1U);
    EXPECT_NEAR(group.steps[0].lr, 3e-5, 1e-10);
  }
  WriteOptions options;
  options.stepGroups = groups;
  const WriteReport report = store_.add(*model_, parent_, options);
  EXPECT_EQ(report.manifest.tensors.front().parts.front().sourceCount(), 3U);
  expectRestores(*store_.reader(report, parent_), *model_);
}

TEST_F(StepFit, FindsNothingWhereNoStepLeadsThere) {
  const auto other =
      TrainingRun({{"body.weight", {200, 300}}, {"body.bias", {200}}, {"head", {7}}}, 99)
          .snapshot();
  const auto groups = fitSteps(other->description(), *parent_, std::span(&list_, 1));
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_TRUE(groups->empty());
}

TEST_F(StepFit, CodesSnapshotsSeveralStepsApart) {
  for (int i = 0; i < 9; ++i) run_.step();
  const auto model = run_.snapshot();
  list_.settings.step = 13;
  list_.settings.stepCount = 10;
  const auto groups = fitSteps(model->description(), *parent_, std::span(&list_, 1));
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 3U);
  WriteOptions options;
  const WriteReport plain = store_.add(*model, parent_, options);
  options.stepGroups = *groups;
  const WriteReport report = store_.add(*model, parent_, options);
  EXPECT_EQ(report.manifest.tensors.front().parts.front().sourceCount(), 4U);
  const auto bytesOf = [](const WriteReport& of) {
    std::uint64_t bytes = 0;
    for (const ManifestTensor& tensor : of.manifest.tensors) {
      if (tensor.file == 0) bytes += storedBytes(tensor);
    }
    return bytes;
  };
  EXPECT_LT(bytesOf(report), bytesOf(plain) * 97 / 100);
  expectRestores(*store_.reader(report, parent_), *model);
}

TEST_F(StepFit, LeavesListsOutThatTheParentLacks) {
  OptimizerSettings unknown = list_;
  for (OptimizerPair& pair : unknown.pairs) pair.firstMoment = 1000;
  EXPECT_TRUE(fitted({unknown, OptimizerSettings{}}).empty());
  EXPECT_EQ(fitted({unknown, list_}).size(), 3U);
}

}  // namespace
}  // namespace strata::test
