#include "core/quantize/joint_pruning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/profile/profile.h"
#include "tests/unit/ops/store_fixture.h"
#include "tests/unit/quantize/training_state.h"

namespace strata {
namespace {

using test::kWords;
using test::modelOf;
using test::TrainingState;
using test::weightsOf;
using ::testing::HasSubstr;

double meanSize(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += std::fabs(value);
  return sum / static_cast<double>(values.size());
}

double medianDistance(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < a.size(); ++i) sizes.push_back(std::fabs(a[i] - b[i]));
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                   sizes.end());
  return sizes[sizes.size() / 2];
}

class JointlyPruned : public test::StoreFixture {
 protected:
  JointlyPruned() {
    for (int i = 0; i < 20; ++i) state_.step();
    base_ = state_.weights;
    import("base", *modelOf(weightsOf(state_)));
    for (int i = 0; i < 20; ++i) state_.step();
  }

  QuantizeSettings excp(double alpha = 5e-5) {
    auto profile = loadProfile({}, "excp");
    EXPECT_TRUE(profile) << profile.error().message;
    profile->plan.quantize.rules[0].pruneAlpha = alpha;
    return profile->plan.quantize;
  }
  AddReport addBy(const QuantizeSettings& settings, const ModelSource& model) {
    AddOptions options{.name = "run", .baseChoice = BaseChoice::Reference, .base = "base"};
    options.quantize = settings;
    return add(model, options);
  }

  /// Tensor `index` of the newest version of the run, which has one file of such tensors.
  std::vector<float> restored(std::size_t index) {
    const auto bytes = test::restoredBytes(store(), "run");
    EXPECT_TRUE(bytes) << bytes.error().message;
    std::vector<float> values(kWords);
    std::memcpy(values.data(), bytes->data() + 6 + index * kWords * 4, kWords * 4);
    return values;
  }

  /// What is pruned of `state_` by the published rule, but for words within a percent of a bound.
  void expectPruned(double medians) {
    const double change = medians * medianDistance(state_.weights, base_);
    const double size = 2 * meanSize(state_.first);
    const auto weights = restored(0);
    const auto first = restored(1);
    const auto second = restored(2);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const double distance = std::fabs(state_.weights[i] - base_[i]);
      if (std::fabs(distance / change - 1) < 0.02) continue;
      ASSERT_EQ(weights[i] == base_[i], distance <= change) << i;
      const bool isKept = distance > change && std::fabs(state_.first[i]) > size;
      ASSERT_EQ(second[i] > 0, isKept) << i;
      if (!isKept) {
        ASSERT_EQ(first[i], 0.0F) << i;
      }
      ASSERT_GE(second[i], 0.0F) << i;
      kept += isKept ? 1 : 0;
    }
    EXPECT_GT(kept, 0U);
    EXPECT_LT(kept, kWords / 4);
  }

  TrainingState state_{3};
  std::vector<float> base_;
};

TEST_F(JointlyPruned, StatesKeepWhatThePublishedRuleKeeps) {
  const AddReport report = addBy(excp(), *modelOf(weightsOf(state_)));
  EXPECT_TRUE(report.keptExact.empty());
  ASSERT_EQ(report.roleErrors.size(), 2U);
  for (const RoleError& error : report.roleErrors) {
    EXPECT_GT(error.relativeError, 0.1);
    EXPECT_LT(error.relativeError, 1);
  }
  EXPECT_GT(report.relativeError, 0.01);
  EXPECT_LT(report.relativeError, 1);
  expectPruned(std::min(2.5, 5e-5 / std::sqrt(meanSize(state_.second))));
}

TEST_F(JointlyPruned, StatesHaveTwoAndAHalfMediansAtMost) {
  addBy(excp(1e6), *modelOf(weightsOf(state_)));
  const double change = 2.5 * medianDistance(state_.weights, base_);
  const auto weights = restored(0);
  for (std::size_t i = 0; i < kWords; ++i) {
    const double distance = std::fabs(state_.weights[i] - base_[i]);
    if (std::fabs(distance / change - 1) < 0.02) continue;
    ASSERT_EQ(weights[i] == base_[i], distance <= change) << i;
  }
}

TEST_F(JointlyPruned, StatesOfAFurtherSnapshotStandOnWhatTheOneBeforeRestores) {
  AddOptions options{.name = "run",
                     .baseChoice = BaseChoice::Reference,
                     .base = "base",
                     .chain = ChainPolicy::Always};
  options.quantize = excp();
  add(*modelOf(weightsOf(state_)), options);
  base_ = restored(0);
  for (int i = 0; i < 20; ++i) state_.step();
  add(*modelOf(weightsOf(state_)), options);
  expectPruned(std::min(2.5, 5e-5 / std::sqrt(meanSize(state_.second))));
}

TEST_F(JointlyPruned, WeightsWithoutMomentsHaveTwoAndAHalfMedians) {
  auto weights = weightsOf(state_);
  weights.resize(1);
  const AddReport report = addBy(excp(), *modelOf(weights));
  EXPECT_TRUE(report.roleErrors.empty());
  const double change = 2.5 * medianDistance(state_.weights, base_);
  const auto found = restored(0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < kWords; ++i) kept += found[i] != base_[i] ? 1 : 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const double distance = std::fabs(state_.weights[i] - base_[i]);
    if (distance < 0.98 * change) {
      ASSERT_EQ(found[i], base_[i]) << i;
    }
  }
  EXPECT_GT(kept, 0U);
}

TEST_F(JointlyPruned, MomentsStayExactTogetherWhereOneHasNoNumber) {
  for (const std::size_t tensor : {1U, 2U}) {
    TrainingState state = state_;
    (tensor == 1 ? state.first : state.second)[5] = std::numeric_limits<float>::quiet_NaN();
    const AddReport report = addBy(excp(), *modelOf(weightsOf(state)));
    ASSERT_EQ(report.keptExact.size(), 2U) << tensor;
    for (const std::string& kept : report.keptExact) EXPECT_THAT(kept, HasSubstr("NaN"));
    const auto second = restored(2);
    EXPECT_EQ(std::memcmp(second.data(), state.second.data(), kWords * 4), 0) << tensor;
  }
}

TEST_F(JointlyPruned, SecondMomentsStayExactBesideExactFirstOnes) {
  QuantizeSettings settings = excp();
  settings.rules[1].codec = CodecId::Integer;
  const AddReport report = addBy(settings, *modelOf(weightsOf(state_)));
  ASSERT_EQ(report.keptExact.size(), 1U);
  EXPECT_THAT(report.keptExact[0], HasSubstr("exp_avg_sq: is pruned with its first moment"));
  EXPECT_EQ(restored(1), state_.first);
  EXPECT_EQ(restored(2), state_.second);
}

TEST_F(JointlyPruned, SecondMomentsStayExactBesideFirstOnesThatAreAsBefore) {
  TrainingState later = state_;
  AddOptions options{.name = "before", .baseChoice = BaseChoice::Reference, .base = "base"};
  add(*modelOf(weightsOf(state_)), options);
  for (float& word : later.second) word *= 0.5F;
  options = {.name = "run", .baseChoice = BaseChoice::Reference, .base = "before"};
  options.quantize = excp();
  const AddReport report = add(*modelOf(weightsOf(later)), options);
  ASSERT_EQ(report.keptExact.size(), 1U);
  EXPECT_THAT(report.keptExact[0], HasSubstr("exp_avg_sq: is pruned with its first moment"));
  EXPECT_EQ(restored(1), state_.first);
  EXPECT_EQ(restored(2), later.second);
}

TEST_F(JointlyPruned, MomentsOfExactWeightsGoByTheirSizesAlone) {
  QuantizeSettings settings = excp();
  settings.rules[0] = {.codec = CodecId::Integer};
  addBy(settings, *modelOf(weightsOf(state_)));
  EXPECT_EQ(restored(0), state_.weights);
  const double size = 2 * meanSize(state_.first);
  const auto second = restored(2);
  for (std::size_t i = 0; i < kWords; ++i) {
    ASSERT_EQ(second[i] > 0, std::fabs(state_.first[i]) > size) << i;
  }
}

TEST_F(JointlyPruned, StatesTrainOnWithoutInfinitiesAndNaN) {
  addBy(excp(), *modelOf(weightsOf(state_)));
  TrainingState resumed(4);
  resumed.steps = state_.steps;
  resumed.weights = restored(0);
  resumed.first = restored(1);
  resumed.second = restored(2);
  const std::vector<float> start = resumed.weights;
  for (int i = 0; i < 50; ++i) resumed.step();
  for (std::size_t i = 0; i < kWords; ++i) {
    ASSERT_LT(std::fabs(resumed.weights[i] - start[i]), 50 * 4e-3F) << i;
  }
}

}  // namespace
}  // namespace strata
