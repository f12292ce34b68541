#include "core/quantize/moment_choice.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/ops/inspect/show_version.h"
#include "core/profile/profile.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;
using ::testing::HasSubstr;

constexpr std::size_t kRows = 40;
constexpr std::size_t kColumns = 24;
constexpr std::size_t kWords = kRows * kColumns;

std::string bytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// The state of AdamW after some steps; rows that end in 7 never had a gradient.
struct TrainingState {
  std::vector<float> weights;
  std::vector<float> first = std::vector<float>(kWords);
  std::vector<float> second = std::vector<float>(kWords);
  int steps = 0;

  explicit TrainingState(unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < kWords; ++i) weights.push_back(0.02F * normal());
  }

  /// One step of AdamW in f32, in the order of PyTorch.
  void step() {
    ++steps;
    const auto corrected1 = static_cast<float>(1 - std::pow(0.9, steps));
    const auto corrected2 = static_cast<float>(std::sqrt(1 - std::pow(0.999, steps)));
    for (std::size_t i = 0; i < kWords; ++i) {
      const float gradient = i / kColumns % 10 == 7 ? 0 : 1e-3F * (0.2F + normal());
      first[i] = 0.9F * first[i] + 0.1F * gradient;
      second[i] = 0.999F * second[i] + 0.001F * gradient * gradient;
      weights[i] -= 1e-3F / corrected1 * first[i] / (std::sqrt(second[i]) / corrected2 + 1e-8F);
    }
  }

 private:
  float normal() { return static_cast<float>(normal_(random_)); }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

MemoryModel::Weight f32(const std::string& name, const std::vector<float>& values) {
  return {name, ElementType::F32, {kRows, kColumns}, bytesOf(values)};
}

std::unique_ptr<MemoryModel> modelOf(const std::vector<MemoryModel::Weight>& weights) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights);
  for (TensorInfo& tensor : model->description().tensors) {
    if (tensor.name.ends_with(".exp_avg")) tensor.kind = TensorKind::FirstMoment;
    if (tensor.name.ends_with(".exp_avg_sq")) tensor.kind = TensorKind::SecondMoment;
  }
  return model;
}

std::vector<MemoryModel::Weight> weightsOf(const TrainingState& state) {
  return {f32("body.weight", state.weights), f32("optimizer.body.weight.exp_avg", state.first),
          f32("optimizer.body.weight.exp_avg_sq", state.second)};
}

class QuantizedMoments : public test::StoreFixture {
 protected:
  QuantizedMoments() {
    for (int i = 0; i < 20; ++i) state_.step();
    import("base", *modelOf(weightsOf(state_)));
    for (int i = 0; i < 20; ++i) state_.step();
  }

  AddReport addBy(const std::string& profile, const ModelSource& model) {
    auto plan = loadProfile({}, profile);
    EXPECT_TRUE(plan) << plan.error().message;
    return addBy(plan->plan.quantize, model);
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

  static QuantizeSettings rules(unsigned bits) {
    return {.rules = {{.codec = CodecId::Integer},
                      {.kind = TensorKind::FirstMoment, .codec = CodecId::Moments, .bits = bits},
                      {.kind = TensorKind::SecondMoment, .codec = CodecId::Moments, .bits = bits}}};
  }

  TrainingState state_{3};
};

TEST_F(QuantizedMoments, OfProfileResumeLeaveWeightsExact) {
  const AddReport report = addBy("resume", *modelOf(weightsOf(state_)));
  EXPECT_TRUE(report.version.lossy);
  EXPECT_EQ(report.relativeError, 0.0);
  EXPECT_TRUE(report.keptExact.empty());
  ASSERT_EQ(report.roleErrors.size(), 2U);
  EXPECT_EQ(report.roleErrors[0].kind, TensorKind::FirstMoment);
  EXPECT_EQ(report.roleErrors[1].kind, TensorKind::SecondMoment);
  for (const RoleError& error : report.roleErrors) {
    EXPECT_GT(error.relativeError, 0.01);
    EXPECT_LT(error.relativeError, 0.5);
    EXPECT_EQ(error.quantized, 1U);
    EXPECT_EQ(error.exact, 0U);
  }
  EXPECT_EQ(restored(0), state_.weights);
  EXPECT_NE(restored(1), state_.first);
  EXPECT_NE(restored(2), state_.second);
  const auto shown = showVersion(store(), {.reference = "run"});
  ASSERT_TRUE(shown) << shown.error().message;
  ASSERT_EQ(shown->roleErrors.size(), 2U);
  EXPECT_NEAR(shown->roleErrors[0].relativeError, report.roleErrors[0].relativeError, 1e-6);
}

TEST_F(QuantizedMoments, TrainOnWithoutInfinitiesAndNaN) {
  for (const char* profile : {"resume", "resume-small"}) {
    addBy(profile, *modelOf(weightsOf(state_)));
    TrainingState resumed(4);
    resumed.steps = state_.steps;
    resumed.weights = restored(0);
    resumed.first = restored(1);
    resumed.second = restored(2);
    for (std::size_t i = 0; i < kWords; ++i) {
      ASSERT_GE(resumed.second[i], 0.0F) << profile << i;
      if (state_.second[i] == 0) {
        ASSERT_EQ(resumed.first[i], 0.0F) << profile << i;
      }
    }
    const std::vector<float> start = resumed.weights;
    for (int i = 0; i < 50; ++i) resumed.step();
    for (std::size_t i = 0; i < kWords; ++i) {
      // No word moves by more than three full steps at each.
      ASSERT_LT(std::fabs(resumed.weights[i] - start[i]), 50 * 3e-3F) << profile << i;
    }
  }
}

TEST_F(QuantizedMoments, StayExactUnlessARuleNamesTheirKind) {
  const AddReport report =
      addBy(QuantizeSettings{.rules = {{.codec = CodecId::Levels, .step = 0.5}}},
            *modelOf(weightsOf(state_)));
  EXPECT_TRUE(report.roleErrors.empty());
  EXPECT_NE(restored(0), state_.weights);
  EXPECT_EQ(restored(1), state_.first);
  EXPECT_EQ(restored(2), state_.second);
}

TEST_F(QuantizedMoments, FollowRulesByName) {
  QuantizeSettings settings = rules(8);
  settings.rules.push_back(
      {.match = "*.exp_avg_sq", .kind = TensorKind::SecondMoment, .codec = CodecId::Integer});
  const AddReport report = addBy(settings, *modelOf(weightsOf(state_)));
  ASSERT_EQ(report.roleErrors.size(), 1U);
  EXPECT_LT(report.roleErrors[0].relativeError, 0.04);
  EXPECT_EQ(restored(2), state_.second);
}

TEST_F(QuantizedMoments, OfNoWeightStayExactAndAreNamed) {
  auto weights = weightsOf(state_);
  weights.erase(weights.begin());
  const AddReport report = addBy(rules(3), *modelOf(weights));
  ASSERT_EQ(report.keptExact.size(), 2U);
  EXPECT_THAT(report.keptExact[0], HasSubstr("exp_avg: belongs to no weight of the model"));
  EXPECT_FALSE(report.version.lossy) << "nothing was lost";
  EXPECT_EQ(restored(0), state_.first);
  EXPECT_EQ(restored(1), state_.second);
}

TEST_F(QuantizedMoments, ThatAreNoNumbersStayExactAndAreNamed) {
  for (const float bad :
       {-1e-9F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    TrainingState state = state_;
    state.second[5] = bad;
    const AddReport report = addBy(rules(3), *modelOf(weightsOf(state)));
    ASSERT_EQ(report.keptExact.size(), 2U) << bad;
    EXPECT_THAT(report.keptExact[1], HasSubstr("exp_avg_sq: "));
    const auto second = restored(2);
    EXPECT_EQ(std::memcmp(second.data(), state.second.data(), kWords * 4), 0) << bad;
    EXPECT_EQ(restored(1), state.first) << bad;
  }
}

TEST_F(QuantizedMoments, OfOtherTypesStayExactAndAreNamed) {
  auto weights = weightsOf(state_);
  weights[2].type = ElementType::BF16;
  weights[2].bytes.resize(kWords * 2);
  const AddReport halves = addBy(rules(3), *modelOf(weights));
  ASSERT_EQ(halves.keptExact.size(), 2U);
  EXPECT_THAT(halves.keptExact[0], HasSubstr("second moment of bf16"));
  EXPECT_THAT(halves.keptExact[1], HasSubstr("words of bf16"));
  weights[2].type = ElementType::I8;
  weights[2].bytes.resize(kWords);
  const AddReport integers = addBy(rules(3), *modelOf(weights));
  ASSERT_EQ(integers.keptExact.size(), 2U);
  EXPECT_THAT(integers.keptExact[1], HasSubstr("words of i8"));
}

TEST_F(QuantizedMoments, ThatAreMomentumAloneHaveSizesOfTheirOwn) {
  auto weights = weightsOf(state_);
  weights.pop_back();
  const AddReport report = addBy(rules(5), *modelOf(weights));
  ASSERT_EQ(report.roleErrors.size(), 1U);
  EXPECT_LT(report.roleErrors[0].relativeError, 0.2);
}

}  // namespace
}  // namespace strata
