#pragma once

#include <optional>

#include "core/evaluate/score_change.h"

namespace strata {

/// The loss of score that samples which nothing was chosen on are likely to show: the measured one
/// and Evaluation::expectedLoss, each weighed by the inverse of its variance. The measured one
/// varies with the samples on which just one of both models is right; the expected one is taken to
/// be off by half. Settings that were lucky with their samples are thus told from good ones.
/// Nothing where the evaluator gives no expected loss.
std::optional<double> likelyLoss(const ScoreChange& change);

}  // namespace strata
