#include "core/search/linear_belief.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace strata {
namespace {

Eigen::Map<const Eigen::VectorXd> vectorOf(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

LinearBelief::LinearBelief(std::span<const Prior> priors, double noise, double noiseCount)
    : priors_(priors.begin(), priors.end()),
      priorNoise_(noise),
      noiseCount_(noiseCount),
      covariance_(priors.size() * priors.size(), 0.0),
      noise_(noise) {
  for (std::size_t i = 0; i < priors_.size(); ++i) {
    means_.push_back(priors_[i].mean);
    covariance_[i * priors_.size() + i] = priors_[i].deviation * priors_[i].deviation;
  }
}

void LinearBelief::learn(std::span<const Observation> observations) {
  constexpr int kRounds = 3;      // noise and coefficients in turn
  constexpr double kOutlier = 4;  // what is further off says nothing of the noise
  const auto size = static_cast<Eigen::Index>(priors_.size());
  Eigen::VectorXd priorPrecisions(size);
  Eigen::VectorXd priorMeans(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Prior& prior = priors_[static_cast<std::size_t>(i)];
    priorMeans[i] = prior.mean;
    priorPrecisions[i] = 1 / (prior.deviation * prior.deviation);
  }
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd against = Eigen::VectorXd::Zero(size);
  double count = 0;
  for (const Observation& seen : observations) {
    const auto x = vectorOf(seen.features);
    squares += seen.weight * x * x.transpose();
    against += seen.weight * seen.value * x;
    count += seen.weight;
  }
  Eigen::Map<Eigen::VectorXd> means(means_.data(), size);
  Eigen::Map<Eigen::MatrixXd> covariance(covariance_.data(), size, size);
  noise_ = priorNoise_;
  for (int round = 0; round < kRounds; ++round) {
    const double precision = 1 / (noise_ * noise_);
    Eigen::MatrixXd all = precision * squares;
    all.diagonal() += priorPrecisions;
    const Eigen::LDLT<Eigen::MatrixXd> solver(all);
    means = solver.solve(precision * against + priorPrecisions.cwiseProduct(priorMeans));
    covariance = solver.solve(Eigen::MatrixXd::Identity(size, size));
    if (round + 1 == kRounds) break;
    const double most = kOutlier * priorNoise_;
    double misfit = 0;
    for (const Observation& seen : observations) {
      const double rest = std::clamp(seen.value - vectorOf(seen.features).dot(means), -most, most);
      misfit += seen.weight * rest * rest;
    }
    // Coefficients that were fitted explain some of the noise, too.
    const double fitted = precision * squares.cwiseProduct(covariance).sum();
    const double freedom = std::max(count - fitted, 0.0);
    noise_ =
        std::sqrt((noiseCount_ * priorNoise_ * priorNoise_ + misfit) / (noiseCount_ + freedom));
  }
}

LinearBelief::Guess LinearBelief::guess(std::span<const double> features) const {
  const auto x = vectorOf(features);
  const auto size = static_cast<Eigen::Index>(priors_.size());
  const Eigen::Map<const Eigen::MatrixXd> covariance(covariance_.data(), size, size);
  return {x.dot(vectorOf(means_)), x.dot(covariance * x)};
}

}  // namespace strata
