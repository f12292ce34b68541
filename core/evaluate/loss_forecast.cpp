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

/// What one measurement says.
struct Measurement {
  double loss = 0;                      ///< of score
  std::optional<double> expected = {};  ///< Evaluation::expectedLoss
  double samples = 0;                   ///< 0: nobody knows which were right
  double differing = 0;                 ///< samples that just one of both models gets right
};

LossForecast forecast(const Measurement& measured, unsigned candidates) {
  const std::optional<double>& expected = measured.expected;
  // Of a score on so many samples. One more differs, so that models that never differ are not taken
  // to be known without error.
  const bool isPaired = measured.samples > 0;
  const double sampleVariance = isPaired ? (measured.differing + 1) / square(measured.samples) : 0;
  const double measuredWeight = isPaired ? 1 / sampleVariance : 0;
  const double beliefError =
      std::max(kBeliefError * std::abs(expected.value_or(0)), kLeastBeliefError);
  const double expectedWeight = expected ? 1 / square(beliefError) : 0;
  const double measuredShare = measuredWeight / (measuredWeight + expectedWeight);
  const double expectedShare = 1 - measuredShare;
  const double likely = measured.loss * measuredShare + expected.value_or(0) * expectedShare;
  // A search can pick what was lucky with the samples. A belief that is off is so for all settings.
  const double luck = deviationsExceededBy(kMissShare / std::max(candidates, 1U));
  const double chance = deviationsExceededBy(kMissShare);
  const double variance = square(luck * measuredShare) * sampleVariance +
                          square(chance) * sampleVariance +
                          (expected ? square(chance * expectedShare * beliefError) : 0);
  return LossForecast{likely, likely + std::sqrt(variance)};
}

}  // namespace

std::optional<LossForecast> forecastLoss(const ScoreChange& change, unsigned candidates) {
  Measurement measured{.loss = change.reference.score - change.restored.score,
                       .expected = change.restored.expectedLoss};
  if (change.test) {
    measured.samples = static_cast<double>(change.reference.correct.size());
    measured.differing = static_cast<double>(change.test->onlyFirst + change.test->onlySecond);
  }
  if (!measured.expected && measured.samples == 0) return std::nullopt;
  return forecast(measured, candidates);
}

double leastForecast(std::uint64_t samples, bool hasExpectedLoss, unsigned candidates) {
  Measurement same{.samples = static_cast<double>(samples)};
  if (hasExpectedLoss) same.expected = 0;
  return forecast(same, candidates).most;
}

std::uint64_t samplesToShow(double loss, bool hasExpectedLoss, unsigned candidates) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::uint64_t fewer = 0;  // too few
  std::uint64_t enough = 1;
  while (enough < kMost && leastForecast(enough, hasExpectedLoss, candidates) > loss) {
    fewer = enough;
    enough *= 2;
  }
  while (enough - fewer > 1) {
    const std::uint64_t middle = fewer + (enough - fewer) / 2;
    (leastForecast(middle, hasExpectedLoss, candidates) > loss ? fewer : enough) = middle;
  }
  return enough;
}

}  // namespace strata
