#include "core/codec/predict/adam_replay.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "core/codec/predict/fit_step.h"

namespace strata {
namespace {

using Words = std::vector<std::uint32_t>;

/// One step that PyTorch made; see optimizer_steps/make.py.
struct TrueStep {
  std::string name;
  StepSettings settings;
  double lr = 0;
  Words w0, m0, v0, w1, m1, v1;

  StepSample sample() const { return {m0, m1, v0, v1, w0, w1}; }
  bool isSgd() const { return v1.empty(); }
};

Words wordsAt(const std::string& bytes, std::size_t& at, std::size_t count) {
  Words words(count);
  std::memcpy(words.data(), bytes.data() + at, count * 4);
  at += count * 4;
  return words;
}

TrueStep stepAt(const std::string& bytes, std::size_t& at) {
  TrueStep step;
  step.name = bytes.c_str() + at;
  double numbers[5];
  std::uint64_t counts[2];
  std::memcpy(numbers, bytes.data() + at + 32, sizeof numbers);
  std::memcpy(counts, bytes.data() + at + 72, sizeof counts);
  at += 88;
  step.lr = numbers[0];
  step.settings = {.beta1 = numbers[1],
                   .beta2 = numbers[2],
                   .eps = numbers[3],
                   .weightDecay = numbers[4],
                   .step = counts[0],
                   .rates = {numbers[0]}};
  const bool isSgd = step.name.find("SGD") != std::string::npos;
  step.w0 = wordsAt(bytes, at, counts[1]);
  step.m0 = wordsAt(bytes, at, counts[1]);
  if (!isSgd) step.v0 = wordsAt(bytes, at, counts[1]);
  step.w1 = wordsAt(bytes, at, counts[1]);
  step.m1 = wordsAt(bytes, at, counts[1]);
  if (!isSgd) step.v1 = wordsAt(bytes, at, counts[1]);
  return step;
}

std::vector<TrueStep> trueSteps() {
  std::ifstream file(STRATA_OPTIMIZER_STEPS, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<TrueStep> steps;
  for (std::size_t at = 0; at < bytes.size();) steps.push_back(stepAt(bytes, at));
  return steps;
}

std::size_t countEqual(const Words& a, const Words& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1U : 0U;
  return equal;
}

Words weightsOf(const AdamStep& step, const TrueStep& is) {
  Words out(is.w0.size());
  predictWeights(step, is.w0, is.m1, is.v1, out);
  return out;
}

Words squaresOf(const AdamStep& step, const TrueStep& is) {
  Words out(is.v0.size());
  predictSecondMoment(step, is.m0, is.m1, is.v0, out);
  return out;
}

TEST(AdamReplay, TellsTheWeightsOfTrueStepsToTheBit) {
  const auto steps = trueSteps();
  ASSERT_EQ(steps.size(), 7U);
  for (const TrueStep& is : steps) {
    const auto fitted = fitStep(is.settings, is.sample());
    ASSERT_TRUE(fitted) << is.name;
    EXPECT_EQ(weightsOf(fitted->step, is), is.w1) << is.name;
    EXPECT_EQ(fitted->weightShare, 1.0) << is.name;
    EXPECT_EQ(usesSecondMoment(fitted->step), !is.isSgd()) << is.name;
  }
}

TEST(AdamReplay, TellsNearlyAllSecondMomentsOfTrueSteps) {
  for (const TrueStep& is : trueSteps()) {
    if (is.isSgd()) continue;
    const auto fitted = fitStep(is.settings, is.sample());
    ASSERT_TRUE(fitted) << is.name;
    EXPECT_GE(countEqual(squaresOf(fitted->step, is), is.v1), is.v1.size() * 9 / 10) << is.name;
  }
}

TEST(AdamReplay, FindsTheLearningRateWhereNoneIsKnown) {
  for (TrueStep is : trueSteps()) {
    is.settings.rates = {};
    const auto fitted = fitStep(is.settings, is.sample());
    ASSERT_TRUE(fitted) << is.name;
    EXPECT_NEAR(fitted->step.lr / is.lr, 1, 1e-5) << is.name;
    EXPECT_GE(fitted->weightShare, 0.98) << is.name;
  }
}

TEST(AdamReplay, TakesTheRateThatFitsOfSeveral) {
  for (TrueStep is : trueSteps()) {
    is.settings.rates = {is.lr * 0.999, is.lr, is.lr * 1.001};
    const auto fitted = fitStep(is.settings, is.sample());
    ASSERT_TRUE(fitted) << is.name;
    EXPECT_EQ(fitted->step.lr, is.lr) << is.name;
  }
}

TEST(AdamReplay, FindsTheVariantOfEachFramework) {
  for (const TrueStep& is : trueSteps()) {
    if (is.isSgd()) continue;
    const bool isOld = is.name.rfind("1.13", 0) == 0;
    const auto fitted = fitStep(is.settings, is.sample());
    ASSERT_TRUE(fitted) << is.name;
    const auto expected = isOld ? kernels::GradientForm::Axpy : kernels::GradientForm::Lerp;
    EXPECT_EQ(fitted->step.variant.gradient, expected) << is.name;
    EXPECT_EQ(fitted->step.variant.square, kernels::SquareForm::Fused) << is.name;
  }
}

TEST(AdamReplay, PredictsNothingThatIsNoStep) {
  TrueStep is = trueSteps().front();
  std::mt19937 random(3);
  for (auto* words : {&is.v1, &is.w1}) {
    for (std::uint32_t& word : *words) word = (word & 0xFF800000U) | (random() & 0x7FFFFFU);
  }
  EXPECT_FALSE(fitStep(is.settings, is.sample()));
}

TEST(AdamReplay, KeepsOldWordsWhereTheArithmeticGivesNoNumber) {
  const AdamStep step{.lr = 1e-3};
  const auto word = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  const float infinite = std::numeric_limits<float>::infinity();
  const Words odd = {0x7F800001U, 0xFFC12345U, word(infinite), word(-1.0F)};
  const Words ones(odd.size(), word(1.0F));
  Words out(odd.size());
  predictWeights(step, odd, ones, ones, out);
  EXPECT_EQ(out[0], odd[0]);
  EXPECT_EQ(out[1], odd[1]);
  predictWeights(step, ones, ones, odd, out);  // the root of a negative number
  EXPECT_EQ(out[3], ones[3]);
  const Words infinities(odd.size(), word(infinite));
  predictSecondMoment(step, infinities, infinities, odd, out);
  EXPECT_EQ(out, odd);
}

/// As FORMAT gives them: f64 numbers fused by the C library.
float fusedUpdate(float rate, float quotient, float weight) {
  return std::fma(rate, quotient, weight);
}

TEST(AdamReplay, FusesAsOneRoundingWould) {
  AdamStep step{.lr = 0.1};
  step.variant.update = kernels::UpdateForm::FusedMomentum;
  std::mt19937 random(5);
  std::uniform_int_distribution<std::uint32_t> any;
  Words weights(20'000);
  Words moments(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool isTiny = i % 4 == 0;
    weights[i] = isTiny ? any(random) & 0x807FFFFFU : (any(random) & 0x83FFFFFFU) | 0x3C000000U;
    moments[i] = isTiny ? any(random) & 0x81FFFFFFU : (any(random) & 0x87FFFFFFU) | 0x38000000U;
  }
  Words out(weights.size());
  predictWeights(step, weights, moments, {}, out);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float exact =
        fusedUpdate(-0.1F, std::bit_cast<float>(moments[i]), std::bit_cast<float>(weights[i]));
    ASSERT_EQ(out[i], std::bit_cast<std::uint32_t>(exact)) << i;
  }
}

TEST(AdamReplay, DoesNotDependOnTheHostsRounding) {
  const TrueStep is = trueSteps().front();
  const auto fitted = fitStep(is.settings, is.sample());
  ASSERT_TRUE(fitted);
  const Words squares = squaresOf(fitted->step, is);
  std::fesetround(FE_UPWARD);
  const Words again = squaresOf(fitted->step, is);
  const Words weights = weightsOf(fitted->step, is);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(again, squares);
  EXPECT_EQ(weights, is.w1);
}

TEST(AdamReplay, WritesWhatItReads) {
  AdamStep step{
      .lr = 3e-4, .beta2 = 0.95, .eps = 1e-6, .weightDecay = 0.1, .squareShare = 1 - 0.95};
  step.setNumber(17);
  step.variant = {kernels::GradientForm::Lerp, kernels::SquareForm::Rounded,
                  kernels::DenominatorForm::Multiplied, kernels::UpdateForm::FusedQuotient, true};
  ByteWriter out;
  writeAdamStep(out, step);
  const auto bytes = out.take();
  ASSERT_EQ(bytes.size(), 61U);
  ByteReader in(bytes);
  EXPECT_EQ(readAdamStep(in), step);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    ByteReader shorter({bytes.data(), cut});
    EXPECT_FALSE(readAdamStep(shorter)) << cut;
  }
}

TEST(AdamReplay, WritesMoreOfSeveralSteps) {
  AdamStep step{.lr = 3e-4, .squareShare = 0.25, .earlierLr = 2e-4};
  step.variant.update = kernels::UpdateForm::Drift;
  ByteWriter out;
  writeAdamStep(out, step);
  const auto bytes = out.take();
  ASSERT_EQ(bytes.size(), 77U);
  ByteReader in(bytes);
  EXPECT_EQ(readAdamStep(in), step);
  ByteReader shorter({bytes.data(), 76});
  EXPECT_FALSE(readAdamStep(shorter));
}

TEST(AdamReplay, RefusesNumbersThatLeadNowhere) {
  const auto isRefused = [](const AdamStep& step) {
    ByteWriter out;
    writeAdamStep(out, step);
    const auto bytes = out.take();
    ByteReader in(bytes);
    return !readAdamStep(in).has_value();
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(isRefused({}));
  EXPECT_TRUE(isRefused({.lr = none}));
  EXPECT_TRUE(isRefused({.eps = 1e30}));
  EXPECT_TRUE(isRefused({.beta1 = 1}));
  EXPECT_TRUE(isRefused({.correction1 = 0}));
  EXPECT_TRUE(isRefused({.correction2 = -1}));
  EXPECT_TRUE(isRefused({.variant = {.update = static_cast<kernels::UpdateForm>(6)}}));
  EXPECT_TRUE(isRefused({.variant = {.gradient = static_cast<kernels::GradientForm>(3)}}));
}

}  // namespace
}  // namespace strata
