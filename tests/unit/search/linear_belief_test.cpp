#include "core/search/linear_belief.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace strata {
namespace {

using Observation = LinearBelief::Observation;
using Prior = LinearBelief::Prior;

constexpr std::array<Prior, 2> kVague{Prior{0, 10}, Prior{0, 10}};

/// On the line 3 - 2x, off it by `noise` to either side in turn.
std::vector<Observation> line(int count, double noise) {
  std::vector<Observation> seen;
  for (int i = 0; i < count; ++i) {
    const double x = 0.1 * (i / 2);
    seen.push_back({{1, x}, 3 - 2 * x + (i % 2 == 0 ? noise : -noise)});
  }
  return seen;
}

TEST(LinearBelief, IsItsPriorBeforeItLearns) {
  constexpr std::array<Prior, 2> priors{Prior{1, 0.5}, Prior{-2, 0.1}};
  const LinearBelief belief(priors, 0.2, 4);
  const auto guess = belief.guess(std::array{1.0, 3.0});
  EXPECT_DOUBLE_EQ(guess.mean, -5);
  EXPECT_DOUBLE_EQ(guess.variance, 0.25 + 9 * 0.01);
  EXPECT_DOUBLE_EQ(belief.noise(), 0.2);
}

TEST(LinearBelief, FindsALine) {
  LinearBelief belief(kVague, 0.2, 4);
  belief.learn(line(40, 0));
  EXPECT_NEAR(belief.guess(std::array{1.0, 5.0}).mean, -7, 0.2);
}

TEST(LinearBelief, LearnsHowNoisyTheNumbersAre) {
  for (const double noise : {0.02, 0.1, 0.5}) {
    LinearBelief belief(kVague, 0.2, 2);
    belief.learn(line(200, noise));
    EXPECT_NEAR(belief.noise(), noise, 0.15 * noise + 0.01) << noise;
  }
}

TEST(LinearBelief, IsLessSureFarFromWhatItSaw) {
  LinearBelief belief(kVague, 0.2, 4);
  belief.learn(line(20, 0.1));
  const double near = belief.guess(std::array{1.0, 0.5}).variance;
  EXPECT_LT(near, belief.guess(std::array{1.0, 3.0}).variance);
}

TEST(LinearBelief, KeepsThePriorOfWhatNeverVaried) {
  constexpr std::array<Prior, 2> priors{Prior{0, 10}, Prior{0.7, 0.3}};
  LinearBelief belief(priors, 0.2, 4);
  belief.learn(std::vector<Observation>(10, {{1, 0}, 5}));
  const auto guess = belief.guess(std::array{1.0, 1.0});
  EXPECT_NEAR(guess.mean, 5.7, 0.01);
  EXPECT_NEAR(guess.variance, 0.09, 0.01);
}

TEST(LinearBelief, TrustsOneNoisyNumberLittle) {
  constexpr std::array<Prior, 2> priors{Prior{0, 0.001}, Prior{0, 0.1}};
  LinearBelief belief(priors, 0.3, 50);
  belief.learn(std::vector<Observation>{{{1, 1}, 0.5}});
  // (0.1 / 0.3)^2 of it, about.
  EXPECT_NEAR(belief.guess(std::array{0.0, 1.0}).mean, 0.05, 0.01);
}

}  // namespace
}  // namespace strata
