#include "core/evaluate/likely_loss.h"

#include <algorithm>

namespace strata {
namespace {

constexpr double kBeliefError = 0.5;  // of the expected loss, one standard deviation
constexpr double kLeastBeliefError = 1e-4;

double square(double x) noexcept { return x * x; }

}  // namespace

std::optional<double> likelyLoss(const ScoreChange& change) {
  if (!change.restored.expectedLoss) return std::nullopt;
  const double expected = *change.restored.expectedLoss;
  const std::size_t samples = change.reference.correct.size();
  if (!change.test || samples == 0) return expected;
  const double measured = change.reference.score - change.restored.score;
  // One more, so that models that never differ are not taken to be known without error.
  const auto differing = static_cast<double>(change.test->onlyFirst + change.test->onlySecond + 1);
  const double measuredWeight = square(static_cast<double>(samples)) / differing;
  const double beliefError = std::max(kBeliefError * std::abs(expected), kLeastBeliefError);
  const double expectedWeight = 1 / square(beliefError);
  return (measured * measuredWeight + expected * expectedWeight) /
         (measuredWeight + expectedWeight);
}

}  // namespace strata
