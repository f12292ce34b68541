#include "core/codec/predict/fit_drift.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace strata {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t kCount = 20'000;
constexpr std::uint64_t kFirst = 100;

/// A run of AdamW; every fourth weight sees no gradient after the first snapshot, every fifth none
/// at all.
class TrainingRun {
 public:
  explicit TrainingRun(std::uint64_t apart) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> scales(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      w_[i] = 0.04F * normal(random);
      scales[i] = 1e-3F * std::exp(2 * normal(random));
    }
    for (std::uint64_t t = 1; t <= kFirst + apart; ++t) {
      for (std::size_t i = 0; i < kCount; ++i) {
        const bool isIdle = i % 5 == 0 || (i % 4 == 0 && t > kFirst);
        step(i, t, isIdle ? 0 : normal(random) * scales[i]);
      }
      if (t == kFirst) earlier_ = {wordsOf(w_), wordsOf(m_), wordsOf(v_)};
    }
    later_ = {wordsOf(w_), wordsOf(m_), wordsOf(v_)};
  }

  StepSample sample() const {
    return {earlier_.m, later_.m, earlier_.v, later_.v, earlier_.w, later_.w};
  }

 private:
  struct State {
    Words w, m, v;
  };

  void step(std::size_t i, std::uint64_t t, float g) {
    const auto number = static_cast<float>(t);
    m_[i] = 0.9F * m_[i] + 0.1F * g;
    v_[i] = 0.999F * v_[i] + 0.001F * g * g;
    const float root = std::sqrt(1 - std::pow(0.999F, number));
    const float rate = 5e-5F / (1 - std::pow(0.9F, number));
    w_[i] = w_[i] * (1 - 5e-7F) - rate * m_[i] / (std::sqrt(v_[i]) / root + 1e-8F);
  }

  static Words wordsOf(const std::vector<float>& values) {
    Words words;
    for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
    return words;
  }

  std::vector<float> w_ = std::vector<float>(kCount);
  std::vector<float> m_ = std::vector<float>(kCount);
  std::vector<float> v_ = std::vector<float>(kCount);
  State earlier_;
  State later_;
};

StepSettings settingsFor(std::uint64_t apart) {
  return {.step = kFirst + apart, .stepCount = apart};
}

TEST(FitDrift, TakesBitsOffWeightsAndSquares) {
  const TrainingRun run(18);
  const auto drift = fitDrift(settingsFor(18), run.sample());
  ASSERT_TRUE(drift);
  EXPECT_GT(drift->weightSaved, 1.5);
  EXPECT_GT(drift->secondMomentSaved, 1.5);
}

TEST(FitDrift, TellsWeightsWithoutGradientsNearly) {
  const TrainingRun run(18);
  const StepSample sample = run.sample();
  const auto drift = fitDrift(settingsFor(18), sample);
  ASSERT_TRUE(drift);
  Words predicted(kCount);
  predictWeights(drift->step, sample.w0, sample.m1, sample.v1, predicted, sample.m0);
  double missed = 0;
  double moved = 0;
  for (std::size_t i = 4; i < kCount; i += 20) {
    const auto value = [](std::uint32_t word) { return std::bit_cast<float>(word); };
    missed += std::fabs(static_cast<double>(value(predicted[i]) - value(sample.w1[i])));
    moved += std::fabs(static_cast<double>(value(sample.w0[i]) - value(sample.w1[i])));
  }
  EXPECT_LT(missed, moved / 8);
}

TEST(FitDrift, GainsLessTheFurtherApart) {
  const TrainingRun near(6);
  const TrainingRun far(120);
  const auto close = fitDrift(settingsFor(6), near.sample());
  const auto distant = fitDrift(settingsFor(120), far.sample());
  ASSERT_TRUE(close && distant);
  EXPECT_GT(close->weightSaved, distant->weightSaved);
}

TEST(FitDrift, SaysNothingOfWordsThatAreNoRun) {
  std::mt19937 random(2);
  Words words[6];
  for (Words& some : words) {
    for (std::size_t i = 0; i < 5000; ++i) {
      const std::uint64_t word = (random() & 0x807FFFFFU) | ((100U + random() % 20) << 23);
      some.push_back(static_cast<std::uint32_t>(word));
    }
  }
  for (std::size_t i = 0; i < 5000; ++i) words[3][i] &= 0x7FFFFFFFU;
  const auto drift =
      fitDrift(settingsFor(18), {words[0], words[1], words[2], words[3], words[4], words[5]});
  if (drift) {
    // Of some shares one fits noise a little.
    EXPECT_LT(drift->weightSaved, 0.3);
    EXPECT_LT(drift->secondMomentSaved, 0.3);
  }
}

TEST(FitDrift, NeedsSecondMomentsAndSomeWords) {
  const TrainingRun run(18);
  StepSample sample = run.sample();
  sample.v0 = {};
  EXPECT_FALSE(fitDrift(settingsFor(18), sample));
  EXPECT_FALSE(fitDrift(settingsFor(18), {}));
}

}  // namespace
}  // namespace strata
