#include "core/search/trial_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace strata {
namespace {

/// What other samples lose at worst grows about as this power of the divergence, or less.
constexpr double kLossPower = 0.5;
constexpr double kMostGuess = 2.5;  // how far beyond what was seen a limit is looked for
constexpr double kLeastGuess = 0.1;
constexpr double kUsualSpread = 0.1;  // as if seen in this many samples
constexpr double kSpreadCount = 3;
constexpr double kNear = 1.5;

/// By how much samples are on the wrong side of a limit, in all.
double contradiction(std::span<const GateSample> samples, double limit) {
  double sum = 0;
  for (const GateSample& sample : samples) {
    const double beyond = sample.logLoss - limit;
    sum += std::max(sample.passes ? beyond : -beyond, 0.0);
  }
  return sum;
}

/// Between `good` and `bad`, where the target's share reaches 1.
double between(const GateSample& good, const GateSample& bad) {
  const double shares = bad.logShare - good.logShare;
  const bool isKnown = shares > 0 && good.logShare > -2;
  const double part = isKnown ? std::clamp(-good.logShare / shares, 0.2, 0.8) : 0.5;
  return good.logLoss + part * (bad.logLoss - good.logLoss);
}

double guessBeyond(const GateSample& sample) {
  const double distance = std::abs(sample.logShare) / kLossPower;
  return std::clamp(distance, kLeastGuess, kMostGuess);
}

}  // namespace

double TrialGate::chance(double mean, double deviation) const noexcept {
  const double all = std::sqrt(deviation * deviation + spread * spread);
  return 0.5 * std::erfc((mean - limit) / (all * std::sqrt(2.0)));
}

TrialGate gateOf(std::span<const GateSample> samples) {
  std::vector<GateSample> sorted(samples.begin(), samples.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const GateSample& a, const GateSample& b) { return a.logLoss < b.logLoss; });
  TrialGate gate{.spread = kUsualSpread};
  if (sorted.empty()) return gate;
  const auto passed = [](const GateSample& sample) { return sample.passes; };
  const auto passes = std::count_if(sorted.begin(), sorted.end(), passed);
  if (passes == std::ssize(sorted)) {
    gate.limit = sorted.back().logLoss + guessBeyond(sorted.back());
    return gate;
  }
  if (passes == 0) {
    gate.limit = sorted.front().logLoss - guessBeyond(sorted.front());
    return gate;
  }
  gate.isBracketed = true;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const double limit = between(sorted[i], sorted[i + 1]);
    const double cost = contradiction(sorted, limit);
    // A limit between one that passes and one that fails is worth more than one among equals.
    const bool parts = sorted[i].passes && !sorted[i + 1].passes;
    if (cost < least - (parts ? 0 : 1e-12) || (parts && cost <= least)) {
      least = cost;
      gate.limit = limit;
    }
  }
  double squares = kSpreadCount * kUsualSpread * kUsualSpread;
  double count = kSpreadCount;
  for (const GateSample& sample : sorted) {
    const double beyond = sample.logLoss - gate.limit;
    if (std::abs(beyond) > kNear) continue;
    squares += std::pow(std::max(sample.passes ? beyond : -beyond, 0.0), 2);
    count += 1;
  }
  gate.spread = std::sqrt(squares / count);
  return gate;
}

}  // namespace strata
