#include "core/search/trial_gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace strata {
namespace {

TEST(TrialGate, LiesBetweenWhatPassesAndWhatFails) {
  const TrialGate gate = gateOf(std::vector<GateSample>{
      {-4, true, -10}, {-3.5, true, -10}, {-3.1, false, 0.3}, {-2, false, 2}});
  EXPECT_TRUE(gate.isBracketed);
  EXPECT_GT(gate.limit, -3.5);
  EXPECT_LT(gate.limit, -3.1);
}

TEST(TrialGate, FollowsTheShareOfTheTargetBetweenBothSides) {
  const auto limitWith = [](double good, double bad) {
    return gateOf(std::vector<GateSample>{{-4, true, good}, {-3, false, bad}}).limit;
  };
  EXPECT_NEAR(limitWith(-0.1, 0.3), -3.75, 1e-9);
  EXPECT_NEAR(limitWith(-0.3, 0.1), -3.25, 1e-9);
  EXPECT_NEAR(limitWith(-10, 0.1), -3.5, 1e-9);
}

TEST(TrialGate, IsNotMovedByOneThatFailedByALittle) {
  std::vector<GateSample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back({-4 + 0.1 * i, true, -0.5});
  samples.push_back({-3.82, false, 0.05});
  samples.push_back({-2.9, false, 0.2});
  const TrialGate gate = gateOf(samples);
  EXPECT_GT(gate.limit, -3.2);
  EXPECT_LT(gate.limit, -2.9);
  // But chance is wider than in a world without such.
  samples.erase(samples.end() - 2);
  EXPECT_GT(gate.spread, gateOf(samples).spread);
}

TEST(TrialGate, LooksFurtherWhereOneSideWasSeen) {
  const TrialGate above = gateOf(std::vector<GateSample>{{-6, true, -1}, {-5, true, -0.5}});
  EXPECT_FALSE(above.isBracketed);
  EXPECT_GT(above.limit, -5);
  const TrialGate far = gateOf(std::vector<GateSample>{{-5, true, -5}});
  EXPECT_GT(far.limit, above.limit);
  const TrialGate below = gateOf(std::vector<GateSample>{{-3, false, 0.5}, {-2, false, 2}});
  EXPECT_FALSE(below.isBracketed);
  EXPECT_LT(below.limit, -3);
}

TEST(TrialGate, GivesEvenChancesAtTheLimit) {
  const TrialGate gate{.limit = -3, .spread = 0.1};
  EXPECT_DOUBLE_EQ(gate.chance(-3, 0.2), 0.5);
  EXPECT_GT(gate.chance(-3.2, 0.1), 0.9);
  EXPECT_GT(gate.chance(-3.2, 0.1), gate.chance(-3.2, 0.3));
  EXPECT_LT(gate.chance(-2.8, 0.1), 0.1);
}

}  // namespace
}  // namespace strata
