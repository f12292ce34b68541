#include "core/search/additive_belief.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

std::vector<LinearBelief::Prior> priorsOf(LinearBelief::Prior level,
                                          std::span<const AdditiveBelief::Group> groups,
                                          std::span<const LinearBelief::Prior> effects) {
  std::vector<LinearBelief::Prior> priors{level};
  for (const auto& group : groups) priors.push_back(group.share);
  for (const auto& group : groups) priors.push_back(group.power);
  priors.insert(priors.end(), effects.begin(), effects.end());
  return priors;
}

}  // namespace

AdditiveBelief::AdditiveBelief(Prior level, std::vector<Group> groups,
                               std::span<const Prior> effects, double noise, double noiseCount)
    : groups_(std::move(groups)), belief_(priorsOf(level, groups_, effects), noise, noiseCount) {
  for (const Prior& prior : priorsOf(level, groups_, effects)) coefficients_.push_back(prior.mean);
}

double AdditiveBelief::valueAt(const Place& place, std::vector<double>& gradient) const {
  const std::size_t count = groups_.size();
  gradient.assign(coefficients_.size(), 0.0);
  gradient[0] = 1;
  if (count == 0) return coefficients_[0];
  const double* shares = coefficients_.data() + 1;
  const double* powers = shares + count;
  const double* effects = powers + count;
  std::vector<double> terms(count);
  for (std::size_t g = 0; g < count; ++g) {
    terms[g] = shares[g] + powers[g] * place.steps[g];
    for (const std::size_t k : groups_[g].knobs) terms[g] += effects[k] * place.notches[k];
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  for (std::size_t g = 0; g < count; ++g) {
    const double part = std::exp(terms[g] - largest) / sum;
    gradient[1 + g] = part;
    gradient[1 + count + g] = part * place.steps[g];
    for (const std::size_t k : groups_[g].knobs) {
      gradient[1 + 2 * count + k] += part * place.notches[k];
    }
  }
  return coefficients_[0] + largest + std::log(sum);
}

void AdditiveBelief::learn(std::span<const Observation> observations) {
  constexpr int kMostRounds = 12;
  constexpr double kMostMove = 1;  // of a coefficient in one round
  constexpr double kStill = 1e-4;
  std::vector<LinearBelief::Observation> linear(observations.size());
  for (int round = 0; round < kMostRounds; ++round) {
    for (std::size_t i = 0; i < observations.size(); ++i) {
      LinearBelief::Observation& one = linear[i];
      one.value = observations[i].value - valueAt(observations[i].place, one.features);
      for (std::size_t c = 0; c < coefficients_.size(); ++c) {
        one.value += one.features[c] * coefficients_[c];
      }
    }
    belief_.learn(linear);
    double most = 0;
    for (std::size_t c = 0; c < coefficients_.size(); ++c) {
      const double move = std::clamp(belief_.means()[c] - coefficients_[c], -kMostMove, kMostMove);
      coefficients_[c] += move;
      most = std::max(most, std::abs(move));
    }
    if (most < kStill) break;
  }
}

AdditiveBelief::Guess AdditiveBelief::guess(const Place& place) const {
  std::vector<double> gradient;
  const double value = valueAt(place, gradient);
  return {value, belief_.guess(gradient).variance};
}

}  // namespace strata
