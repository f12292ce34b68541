#include "core/search/additive_belief.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace strata {
namespace {

using Group = AdditiveBelief::Group;
using Observation = AdditiveBelief::Observation;
using Place = AdditiveBelief::Place;
using Prior = AdditiveBelief::Prior;

/// Two groups that add 3 and 1 where nothing is turned; the knob doubles the second.
double truth(const Place& place) {
  return std::log(3 * std::exp(2 * place.steps[0]) +
                  std::exp(1.5 * place.steps[1] + std::log(2.0) * place.notches[0]));
}

AdditiveBelief vague() {
  const std::array<Prior, 1> effects{Prior{0, 1}};
  return AdditiveBelief({0, 3}, {{{0, 1}, {2, 0.5}, {}}, {{0, 1}, {2, 0.5}, {0}}}, effects, 0.02,
                        4);
}

std::vector<Observation> seen() {
  std::vector<Observation> all;
  for (const double first : {-0.5, 0.0, 0.5}) {
    for (const double second : {-1.0, 0.0, 1.0}) {
      for (const double notch : {0.0, 1.0}) {
        const Place place{{first, second}, {notch}};
        all.push_back({place, truth(place)});
      }
    }
  }
  return all;
}

TEST(AdditiveBelief, IsItsPriorBeforeItLearns) {
  const std::array<Prior, 1> effects{Prior{0.5, 0.1}};
  const AdditiveBelief belief({1, 0.2}, {{{0, 0.1}, {2, 0.3}, {0}}}, effects, 0.2, 4);
  const auto guess = belief.guess({{3.0}, {2.0}});
  EXPECT_DOUBLE_EQ(guess.mean, 1 + 2 * 3 + 0.5 * 2);
  EXPECT_NEAR(guess.variance, 0.04 + 0.01 + 9 * 0.09 + 4 * 0.01, 1e-12);
}

TEST(AdditiveBelief, FindsWhatEachGroupAdds) {
  AdditiveBelief belief = vague();
  belief.learn(seen());
  for (const Place& place : {Place{{0.2, 0.7}, {1}}, Place{{1, -2}, {0}}, Place{{-2, 1}, {1}}}) {
    EXPECT_NEAR(belief.guess(place).mean, truth(place), 0.1);
  }
}

/// What a straight line through the logarithms would not know.
TEST(AdditiveBelief, CountsAGroupForMoreOnceOthersShrank) {
  AdditiveBelief belief = vague();
  belief.learn(seen());
  const auto answer = [&](double first) {
    return belief.guess({{first, 0}, {1}}).mean - belief.guess({{first, 0}, {0}}).mean;
  };
  EXPECT_NEAR(answer(0), std::log(5.0 / 4), 0.03);
  EXPECT_GT(answer(-2), 2 * answer(0));
}

TEST(AdditiveBelief, ForgetsWhatItLearntBefore) {
  AdditiveBelief once = vague();
  once.learn(seen());
  AdditiveBelief twice = vague();
  std::vector<Observation> others = seen();
  for (Observation& other : others) other.value += 1;
  twice.learn(others);
  twice.learn(seen());
  const Place place{{0.3, -0.4}, {1}};
  EXPECT_NEAR(once.guess(place).mean, twice.guess(place).mean, 0.02);
}

TEST(AdditiveBelief, IsItsLevelWithoutAGroup) {
  AdditiveBelief belief({1, 0.2}, {}, {}, 0.2, 4);
  belief.learn(std::vector<Observation>{{{{}, {}}, 1.5}});
  EXPECT_NEAR(belief.guess({{}, {}}).mean, 1.25, 0.25);
}

}  // namespace
}  // namespace strata
