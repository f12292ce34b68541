#include "core/evaluate/loss_forecast.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr double kBeliefError = 0.5;  // of the expected loss, one standard deviation
constexpr double kLeastBeliefError = 1e-4;
constexpr double kMissShare = 0.1;  // of forecasts that other samples may exceed

double square(double x) noexcept { return x * x; }

/// How many deviations a normal number exceeds with this probability, which is below a half.
double deviationsExceededBy(double probability) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const bool isExceededMore = 0.5 * std::erfc(middle / std::sqrt(2.0)) > probability;
    (isExceededMore ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::optional<LossForecast> forecastLoss(const ScoreChange& change, unsigned candidates) {
  const std::optional<double>& expected = change.restored.expectedLoss;
  const std::size_t samples = change.reference.correct.size();
  const bool isPaired = change.test && samples > 0;
  if (!expected && !isPaired) return std::nullopt;
  const double measured = change.reference.score - change.restored.score;
  // Of a score on so many samples. One more differs, so that models that never differ are not taken
  // to be known without error.
  const double sampleVariance =
      isPaired ? static_cast<double>(change.test->onlyFirst + change.test->onlySecond + 1) /
                     square(static_cast<double>(samples))
               : 0;
  const double measuredWeight = isPaired ? 1 / sampleVariance : 0;
  const double beliefError =
      std::max(kBeliefError * std::abs(expected.value_or(0)), kLeastBeliefError);
  const double expectedWeight = expected ? 1 / square(beliefError) : 0;
  const double measuredShare = measuredWeight / (measuredWeight + expectedWeight);
  const double expectedShare = 1 - measuredShare;
  const double likely = measured * measuredShare + expected.value_or(0) * expectedShare;
  // A search can pick what was lucky with the samples. A belief that is off is so for all settings.
  const double luck = deviationsExceededBy(kMissShare / std::max(candidates, 1U));
  const double chance = deviationsExceededBy(kMissShare);
  const double variance = square(luck * measuredShare) * sampleVariance +
                          square(chance) * sampleVariance +
                          (expected ? square(chance * expectedShare * beliefError) : 0);
  return LossForecast{likely, likely + std::sqrt(variance)};
}

}  // namespace strata
