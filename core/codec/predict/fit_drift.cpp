#include "core/codec/predict/fit_drift.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace strata {
namespace {

using Words = std::span<const std::uint32_t>;

/// Shares of the gradient's square that are tried, as parts of what new gradients make up.
constexpr std::array kSquareShares = {0.0, 0.25, 0.5, 1.0, 2.0, 4.0};
/// Rounds of least squares, in which words that do not fit count less and less.
constexpr int kRounds = 4;
/// Least words that a fit is made from.
constexpr std::size_t kLeastWords = 64;

double numberOf(std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }

/// Words of floats in the order of their values.
std::int64_t placeOf(std::uint32_t word) {
  const auto magnitude = static_cast<std::int64_t>(word & 0x7FFFFFFFU);
  return word >> 31 == 0 ? magnitude : -magnitude;
}

/// Mean bits of the differences between words and what is predicted of them.
double meanDifferenceBits(Words predicted, Words words) {
  return static_cast<double>(differenceBits(predicted, words)) / static_cast<double>(words.size());
}

/// Weights that no gradient has reached shrink by decay alone: by how much, or 1 where there are
/// none.
double decayFactor(const StepSample& sample) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sample.w0.size(); ++i) {
    const bool isIdle = numberOf(sample.m0[i]) == 0 && numberOf(sample.m1[i]) == 0;
    const double factor = numberOf(sample.w1[i]) / numberOf(sample.w0[i]);
    if (!isIdle || !(std::fabs(factor - 1) < 0.1)) continue;
    sum += factor;
    ++count;
  }
  return count < kLeastWords ? 1 : sum / static_cast<double>(count);
}

/// How a weight moved, and both first moments over the root of the second.
struct Move {
  double change;
  double now;
  double earlier;
};

std::vector<Move> movesOf(const AdamStep& step, const StepSample& sample, double factor) {
  const double root = std::sqrt(step.correction2);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < sample.w0.size(); ++i) {
    const double denominator = std::sqrt(numberOf(sample.v1[i])) / root + step.eps;
    const Move move{numberOf(sample.w0[i]) * factor - numberOf(sample.w1[i]),
                    numberOf(sample.m1[i]) / denominator, numberOf(sample.m0[i]) / denominator};
    const bool isKnown = std::isfinite(move.change) && std::isfinite(move.now) &&
                         std::isfinite(move.earlier) && (move.now != 0 || move.earlier != 0);
    if (isKnown) moves.push_back(move);
  }
  return moves;
}

/// Rates of both moments.
struct Rates {
  double now = 0;
  double earlier = 0;
};

/// Least squares in which a word weighs one over what was left of it in the round before: a fit to
/// sizes rather than to squares, as bits go by sizes.
Rates fitRates(const std::vector<Move>& moves) {
  Rates rates;
  double typical = 0;
  for (const Move& move : moves) typical += std::fabs(move.change);
  typical /= static_cast<double>(moves.size()) * 100;
  for (int round = 0; round < kRounds; ++round) {
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (const Move& move : moves) {
      const double left = move.change - rates.now * move.now - rates.earlier * move.earlier;
      const double weight = round == 0 ? 1 : 1 / (std::fabs(left) + typical);
      aa += weight * move.now * move.now;
      ab += weight * move.now * move.earlier;
      bb += weight * move.earlier * move.earlier;
      ay += weight * move.now * move.change;
      by += weight * move.earlier * move.change;
    }
    const double determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) break;
    rates = {(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant};
  }
  return rates;
}

}  // namespace

std::uint64_t differenceBits(Words predicted, Words words) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::int64_t difference = placeOf(words[i]) - placeOf(predicted[i]);
    bits += static_cast<std::uint64_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max(difference, -difference))));
  }
  return bits;
}

double fitSquareShare(const StepSample& sample, AdamStep& drift) {
  const double plain = meanDifferenceBits(sample.v0, sample.v1);
  std::vector<std::uint32_t> predicted(sample.v1.size());
  AdamStep step = drift;
  double most = 0;
  for (const double share : kSquareShares) {
    step.squareShare = (1 - step.beta2) * share;
    predictSecondMoment(step, sample.m0, sample.m1, sample.v0, predicted);
    const double saved = plain - meanDifferenceBits(predicted, sample.v1);
    if (saved <= most) continue;
    most = saved;
    drift.squareShare = step.squareShare;
  }
  return most;
}

double fitWeightRates(const StepSample& sample, AdamStep& drift) {
  const double factor = decayFactor(sample);
  const auto moves = movesOf(drift, sample, factor);
  if (moves.size() < kLeastWords) return 0;
  const Rates rates = fitRates(moves);
  AdamStep step = drift;
  // What an f32 number keeps of the factor is what counts, whichever numbers make it up.
  step.lr = rates.now * step.correction1;
  step.earlierLr = rates.earlier * step.correction1;
  step.weightDecay = step.lr == 0 ? 0 : (1 - factor) / step.lr;
  std::vector<std::uint32_t> predicted(sample.w1.size());
  predictWeights(step, sample.w0, sample.m1, sample.v1, predicted, sample.m0);
  const double saved =
      meanDifferenceBits(sample.w0, sample.w1) - meanDifferenceBits(predicted, sample.w1);
  if (saved > 0) drift = step;
  return saved;
}

std::optional<FittedDrift> fitDrift(const StepSettings& settings, const StepSample& sample) {
  if (sample.m0.size() < kLeastWords || sample.v0.empty()) return std::nullopt;
  FittedDrift drift;
  const auto count = static_cast<double>(settings.stepCount);
  drift.step.eps = settings.eps;
  drift.step.beta1 = settings.beta1;
  drift.step.beta2 = settings.beta2;
  if (settings.step != 0) drift.step.setNumber(settings.step);
  drift.step.beta1 = std::pow(settings.beta1, count);
  drift.step.beta2 = std::pow(settings.beta2, count);
  drift.step.variant.update = kernels::UpdateForm::Drift;
  drift.secondMomentSaved = fitSquareShare(sample, drift.step);
  if (!sample.w0.empty()) drift.weightSaved = fitWeightRates(sample, drift.step);
  if (drift.secondMomentSaved <= 0 && drift.weightSaved <= 0) return std::nullopt;
  return drift;
}

}  // namespace strata
