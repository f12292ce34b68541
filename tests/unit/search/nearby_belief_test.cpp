#include "core/search/nearby_belief.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace strata {
namespace {

TEST(NearbyBelief, KnowsNothingBeforeItLearns) {
  NearbyBelief belief(0.3);
  belief.learn({});
  const auto guess = belief.guess(std::array{1.0, 2.0});
  EXPECT_EQ(guess.mean, 0);
  EXPECT_DOUBLE_EQ(guess.variance, 0.09);
}

TEST(NearbyBelief, TakesOverWhatIsNearAndNothingFromAfar) {
  NearbyBelief belief(0.3);
  belief.learn({{{0, 0}, 0.2, 0.01}});
  EXPECT_NEAR(belief.guess(std::array{0.0, 0.0}).mean, 0.2, 0.001);
  EXPECT_NEAR(belief.guess(std::array{1.0, 0.0}).mean, 0.2 * std::exp(-0.5), 0.001);
  EXPECT_NEAR(belief.guess(std::array{6.0, 0.0}).mean, 0, 0.001);
  EXPECT_LT(belief.guess(std::array{0.0, 0.0}).variance, 0.001);
  EXPECT_NEAR(belief.guess(std::array{6.0, 0.0}).variance, 0.09, 0.001);
}

TEST(NearbyBelief, TrustsSeveralNoisyNumbersMoreThanOne) {
  const NearbyBelief::Observation noisy{{0}, 0.2, 0.3};
  NearbyBelief once(0.3);
  once.learn({noisy});
  NearbyBelief often(0.3);
  often.learn(std::vector(8, noisy));
  EXPECT_NEAR(once.guess(std::array{0.0}).mean, 0.1, 0.001);
  EXPECT_NEAR(often.guess(std::array{0.0}).mean, 0.2 * 8 / 9, 0.001);
}

}  // namespace
}  // namespace strata
