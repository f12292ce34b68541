#include "core/evaluate/loss_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

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

LossForecast forecast(const ScoreChange& change, unsigned candidates = 1) {
  const auto found = forecastLoss(change, candidates);
  EXPECT_TRUE(found);
  return found.value_or(LossForecast{});
}

TEST(LossForecast, IsUnknownOfAScoreAlone) {
  ScoreChange change = changed(20, 10, std::nullopt);
  change.test.reset();
  EXPECT_FALSE(forecastLoss(change, 1));
}

TEST(LossForecast, IsTheExpectedLossWithoutPairs) {
  ScoreChange change = changed(20, 10, 0.004);
  change.test.reset();
  EXPECT_DOUBLE_EQ(forecast(change).likely, 0.004);
}

TEST(LossForecast, IsTheMeasuredLossWithoutAnExpectedOne) {
  const LossForecast found = forecast(changed(20, 10, std::nullopt));
  EXPECT_NEAR(found.likely, 0.010, 1e-12);
  // Two deviations' worth of luck, sqrt(31) samples each: those of choice, and the others.
  EXPECT_NEAR(found.most, 0.010 + 1.2816 * std::sqrt(2 * 31) / 1000, 1e-6);
}

TEST(LossForecast, LiesBetweenBoth) {
  const double likely = forecast(changed(20, 10, 0.004)).likely;
  EXPECT_GT(likely, 0.004);
  EXPECT_LT(likely, 0.010);
}

TEST(LossForecast, DoesNotTrustLuckOnSamplesThatDiffer) {
  // A point gained on a hundred samples that differ is well within chance.
  EXPECT_GT(forecast(changed(45, 55, 0.008)).likely, 0.005);
}

TEST(LossForecast, TrustsALargeMeasuredLoss) {
  EXPECT_GT(forecast(changed(200, 0, 0.05)).likely, 0.15);
}

TEST(LossForecast, TakesModelsThatNeverDifferAsAlike) {
  const LossForecast found = forecast(changed(0, 0, 0.0));
  EXPECT_NEAR(found.likely, 0, 1e-12);
  EXPECT_LT(found.most, 0.0015);
}

TEST(LossForecast, PaysForWhatItIsChosenFrom) {
  const ScoreChange change = changed(20, 10, std::nullopt);
  const LossForecast one = forecast(change, 1);
  const LossForecast thirty = forecast(change, 30);
  EXPECT_EQ(one.likely, thirty.likely);
  EXPECT_GT(thirty.most, one.most + 0.005);
  EXPECT_GT(forecast(change, 200).most, thirty.most);
}

TEST(LossForecast, PaysLessWhereTheLossIsWellKnown) {
  const auto price = [](const ScoreChange& change) {
    return forecast(change, 30).most - forecast(change, 1).most;
  };
  EXPECT_LT(price(changed(20, 15, 0.001)), 0.25 * price(changed(20, 15, std::nullopt)));
}

TEST(LossForecast, SaysHowManySamplesShowALoss) {
  EXPECT_EQ(samplesToShow(0.005, true, 30), 257U);
  EXPECT_LE(leastForecast(257, true, 30), 0.005);
  EXPECT_GT(leastForecast(256, true, 30), 0.005);
  EXPECT_GT(samplesToShow(0.005, false, 30), samplesToShow(0.005, false, 1));
}

}  // namespace
}  // namespace strata
