#include "core/quantize/moment_choice.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/codec/words/cast.h"
#include "core/ops/inspect/show_version.h"
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

TEST_F(QuantizedMoments, OfIntegersStayExactAndAreNamed) {
  auto weights = weightsOf(state_);
  weights[2].type = ElementType::I8;
  weights[2].bytes.resize(kWords);
  const AddReport integers = addBy(rules(3), *modelOf(weights));
  ASSERT_EQ(integers.keptExact.size(), 2U);
  EXPECT_THAT(integers.keptExact[0], HasSubstr("second moment of i8"));
  EXPECT_THAT(integers.keptExact[1], HasSubstr("words of i8"));
}

/// Values as words of `type` and as what these words are.
std::string narrowed(std::vector<float>& values, ElementType type) {
  const std::span<const float> given = values;
  std::string words(values.size() * 2, 0);
  const auto out = std::as_writable_bytes(std::span(words));
  castWords(ElementType::F32, std::as_bytes(given), type, out);
  castWords(type, out, ElementType::F32, std::as_writable_bytes(std::span(values)));
  return words;
}

TEST_F(QuantizedMoments, OfSixteenBitsAreZeroTogether) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
    for (const unsigned bits : {0U, 1U, 3U, 8U}) {
      // Such a small one leaves an f16 only as the least there is.
      TrainingState state = state_;
      for (std::size_t i = 0; i < kWords; i += 5) state.second[i] = 6.1e-8F;
      auto weights = weightsOf(state);
      for (const std::size_t t : {1U, 2U}) {
        weights[t].bytes = narrowed(t == 1 ? state.first : state.second, type);
        weights[t].type = type;
      }
      const AddReport report = addBy(rules(bits), *modelOf(weights));
      EXPECT_TRUE(report.keptExact.empty()) << name(type);
      const auto bytes = test::restoredBytes(store(), "run");
      ASSERT_TRUE(bytes) << bytes.error().message;
      std::vector<float> found[2];
      for (const std::size_t t : {0U, 1U}) {
        found[t].resize(kWords);
        const auto words =
            std::as_bytes(std::span(*bytes)).subspan(6 + kWords * (4 + 2 * t), kWords * 2);
        castWords(type, words, ElementType::F32, std::as_writable_bytes(std::span(found[t])));
      }
      for (std::size_t i = 0; i < kWords; ++i) {
        ASSERT_EQ(found[1][i] > 0, state.second[i] > 0) << name(type) << bits << ' ' << i;
        if (state.second[i] == 0) {
          ASSERT_EQ(found[0][i], 0.0F) << name(type) << bits << ' ' << i;
        }
      }
      if (bits == 8) {
        // In f16 many second moments are 0, and their first ones go, too.
        EXPECT_LT(report.roleErrors[0].relativeError, type == ElementType::F16 ? 0.3 : 0.1);
        EXPECT_LT(report.roleErrors[1].relativeError, 0.1) << name(type);
      }
    }
  }
}

TEST_F(QuantizedMoments, OfTwoTypesFollowOneAnother) {
  auto weights = weightsOf(state_);
  weights[1].bytes = narrowed(state_.first, ElementType::BF16);
  weights[1].type = ElementType::BF16;
  const AddReport report = addBy(rules(5), *modelOf(weights));
  EXPECT_TRUE(report.keptExact.empty());
  ASSERT_EQ(report.roleErrors.size(), 2U);
  EXPECT_LT(report.roleErrors[0].relativeError, 0.2);
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
