#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ops/inspect/diff_models.h"
#include "core/ops/inspect/show_version.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;
using Weight = MemoryModel::Weight;

/// What the change of a checkpoint is measured over.
class CheckpointChange : public test::StoreFixture {
 protected:
  static Weight floats(const std::string& name, std::string words) {
    return {name, ElementType::F32, {words.size() / 4}, std::move(words)};
  }

  /// A counter of steps beside a moment.
  static std::vector<Weight> optimizer(unsigned seed, float step) {
    std::string word(4, '\0');
    std::memcpy(word.data(), &step, 4);
    return {floats("state.0.exp_avg", test::randomFloats(4000, seed)),
            floats("state.0.step", word)};
  }

  static void setKinds(MemoryModel& model) {
    for (TensorInfo& tensor : model.description().tensors) {
      if (tensor.name.ends_with("exp_avg")) tensor.kind = TensorKind::FirstMoment;
      if (tensor.name.ends_with("step")) tensor.kind = TensorKind::OptimizerState;
    }
  }

  static std::unique_ptr<MemoryModel> modelOf(const std::vector<Weight>& weights) {
    auto model = std::make_unique<MemoryModel>();
    model->addFile("checkpoint", "header", weights);
    setKinds(*model);
    return model;
  }

  static std::unique_ptr<MemoryModel> checkpoint(const std::string& weights, unsigned seed,
                                                 float step) {
    auto model = std::make_unique<MemoryModel>();
    model->addFile("model.safetensors", "header", {floats("w", weights)});
    model->addFile("optimizer.pt", "header", optimizer(seed, step));
    setKinds(*model);
    return model;
  }

  double changeIn(const std::string& a, const std::string& b,
                  const std::vector<std::string>& globs = {}) {
    const DiffOptions options{.threshold = 0, .globs = globs};
    const auto report = diffModels({.store = &store(), .reference = a},
                                   {.store = &store(), .reference = b}, options, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->change.distance.value_or(-1) : -1;
  }

  const std::string weights_ = test::randomFloats(6000, 1);
};

TEST_F(CheckpointChange, CountsBothCopiesOfTheWeights) {
  const auto twice = [&](const std::string& words) {
    auto model = std::make_unique<MemoryModel>();
    model->addFile("model.safetensors", "header",
                   {floats("frozen", test::randomFloats(9000, 2)), floats("w", words)});
    model->addFile("pytorch_model.bin", "header", {floats("w", words)});
    return model;
  };
  import("run", *twice(weights_));
  const AddReport added = add("run", *twice(test::tunedFloats(weights_, 1, 3)));
  const double change = changeIn("run:v1", "run:v2");
  EXPECT_GT(change, 0);
  EXPECT_NEAR(added.version.relativeChange, change, 1e-3 * change);
}

TEST_F(CheckpointChange, LeavesOutWhatAnOptimizerKeeps) {
  const std::string tuned = test::tunedFloats(weights_, 1, 3);
  import("weights", *modelOf({floats("w", weights_)}));
  add("weights", *modelOf({floats("w", tuned)}));
  const double change = changeIn("weights:v1", "weights:v2");
  import("run", *checkpoint(weights_, 10, 2));
  const AddReport added = add("run", *checkpoint(tuned, 11, 500), "run");
  EXPECT_NEAR(added.version.relativeChange, change, 1e-3 * change);
  EXPECT_NEAR(changeIn("run:v1", "run:v2"), change, 1e-9);
  EXPECT_GT(changeIn("run:v1", "run:v2", {"state.*"}), 10 * change);
  // None of its weights, and the rest is no change of theirs.
  AddOptions later{.name = "run"};
  later.baseChoice = BaseChoice::Reference;
  later.base = "run";
  later.chain = ChainPolicy::Always;
  const AddReport same = add(*checkpoint(tuned, 12, 900), later);
  ASSERT_EQ(same.parentLabel, "run:v2");
  EXPECT_EQ(same.version.relativeChange, 0);
  EXPECT_EQ(changeIn("run:v2", "run:v3"), 0);
}

TEST_F(CheckpointChange, OfAnOptimizerAloneIsThatOfItsState) {
  import("state", *modelOf(optimizer(10, 2)));
  const AddReport added = add("state", *modelOf(optimizer(11, 2)), "state");
  const double change = changeIn("state:v1", "state:v2");
  EXPECT_GT(change, 1);
  EXPECT_NEAR(added.version.relativeChange, change, 1e-3 * change);
}

TEST_F(CheckpointChange, IsShownOfTensorsThatAreCodedAlone) {
  const auto frozen = floats("frozen", test::randomFloats(9000, 2));
  import("run", *modelOf({frozen, floats("w", weights_)}));
  add("run", *modelOf({frozen, floats("w", test::randomFloats(6000, 4))}), "run");
  const auto shown = showVersion(store(), {.reference = "run:v2"});
  ASSERT_TRUE(shown) << shown.error().message;
  const auto& tensors = shown->tensors;
  const auto found = std::ranges::find(tensors, "w", &TensorRow::name);
  ASSERT_NE(found, tensors.end());
  EXPECT_EQ(found->state, TensorState::Changed);
  EXPECT_NEAR(found->changedShare, 1, 0.01);
  EXPECT_NEAR(found->relativeChange, std::sqrt(2), 0.1);
}

}  // namespace
}  // namespace strata
