#include "core/evaluate/likely_loss.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

/// The reference is right on 800 of 1,000 samples; the other model loses and gains some of them.
ScoreChange changed(int lost, int gained, std::optional<double> expectedLoss) {
  Evaluation reference{.score = 0.8, .samples = 1000};
  Evaluation restored{.samples = 1000};
  for (int i = 0; i < 1000; ++i) {
    reference.correct.push_back(i < 800);
    restored.correct.push_back((i >= lost && i < 800) || i >= 1000 - gained);
  }
  restored.score = 0.8 - 1e-3 * (lost - gained);
  restored.expectedLoss = expectedLoss;
  return scoreChange(reference, restored);
}

TEST(LikelyLoss, IsUnknownWithoutAnExpectedLoss) {
  EXPECT_FALSE(likelyLoss(changed(20, 10, std::nullopt)));
}

TEST(LikelyLoss, IsTheExpectedOneWithoutPairs) {
  ScoreChange change = changed(20, 10, 0.004);
  change.test.reset();
  EXPECT_EQ(likelyLoss(change), 0.004);
}

TEST(LikelyLoss, LiesBetweenBoth) {
  const auto likely = likelyLoss(changed(20, 10, 0.004));
  ASSERT_TRUE(likely);
  EXPECT_GT(*likely, 0.004);
  EXPECT_LT(*likely, 0.010);
}

TEST(LikelyLoss, DoesNotTrustLuckOnSamplesThatDiffer) {
  // A point gained on a hundred samples that differ is well within chance.
  const auto lucky = likelyLoss(changed(45, 55, 0.008));
  ASSERT_TRUE(lucky);
  EXPECT_GT(*lucky, 0.005);
}

TEST(LikelyLoss, TrustsALargeMeasuredLoss) {
  const auto likely = likelyLoss(changed(200, 0, 0.05));
  ASSERT_TRUE(likely);
  EXPECT_GT(*likely, 0.15);
}

TEST(LikelyLoss, TakesModelsThatNeverDifferAsAlike) {
  const auto likely = likelyLoss(changed(0, 0, 0.0));
  ASSERT_TRUE(likely);
  EXPECT_NEAR(*likely, 0, 1e-12);
}

}  // namespace
}  // namespace strata
