#pragma once

#include <optional>

#include "core/evaluate/score_change.h"

namespace strata {

/// What samples that nothing was chosen on will show of a model that was chosen on others. A
/// measured loss alone promises too much. Of several settings a search takes one that was lucky
/// with its samples. Other samples bring luck of their own.
struct LossForecast {
  /// Score that is likely to be lost: the measured loss and Evaluation::expectedLoss, each weighed
  /// by the inverse of its variance. The measured one varies with the samples that just one of both
  /// models gets right. The expected one is taken to be off by half.
  double likely = 0;
  /// Score that as many other samples lose more of at most one time in ten.
  double most = 0;
};

/// `candidates` is the number of settings, at least 1, that this one is chosen from: its measured
/// loss is taken to be off by as much as the luckiest of so many is, one time in ten.
/// Nothing where the evaluator says neither which samples were right nor what it expects.
std::optional<LossForecast> forecastLoss(const ScoreChange& change, unsigned candidates);

/// What forecastLoss() says at least of any model, after answers to `samples` samples: `most` of
/// one that answers all of them as the original does, and expects to. Score.
double leastForecast(std::uint64_t samples, bool hasExpectedLoss, unsigned candidates);

/// Samples that it takes to show that others lose no more than `loss`, above 0, of the score.
std::uint64_t samplesToShow(double loss, bool hasExpectedLoss, unsigned candidates);

}  // namespace strata
