#include "core/search/nearby_belief.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <utility>

namespace strata {

double NearbyBelief::covariance(std::span<const double> a, std::span<const double> b) const {
  double squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
  return deviation_ * deviation_ * std::exp(-squared / 2);
}

void NearbyBelief::learn(std::vector<Observation> observations) {
  seen_ = std::move(observations);
  const auto size = static_cast<Eigen::Index>(seen_.size());
  inverse_.resize(seen_.size() * seen_.size());
  weights_.resize(seen_.size());
  Eigen::MatrixXd all(size, size);
  Eigen::VectorXd values(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Observation& one = seen_[static_cast<std::size_t>(i)];
    values[i] = one.value;
    for (Eigen::Index j = 0; j < size; ++j) {
      all(i, j) = covariance(one.place, seen_[static_cast<std::size_t>(j)].place);
    }
    all(i, i) += one.noise * one.noise;
  }
  const Eigen::LLT<Eigen::MatrixXd> solver(all);
  Eigen::Map<Eigen::MatrixXd>(inverse_.data(), size, size) =
      solver.solve(Eigen::MatrixXd::Identity(size, size));
  Eigen::Map<Eigen::VectorXd>(weights_.data(), size) = solver.solve(values);
}

NearbyBelief::Guess NearbyBelief::guess(std::span<const double> place) const {
  const auto size = static_cast<Eigen::Index>(seen_.size());
  Eigen::VectorXd near(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    near[i] = covariance(place, seen_[static_cast<std::size_t>(i)].place);
  }
  const Eigen::Map<const Eigen::MatrixXd> inverse(inverse_.data(), size, size);
  const Eigen::Map<const Eigen::VectorXd> weights(weights_.data(), size);
  const double known = near.dot(inverse * near);
  return {near.dot(weights), std::max(deviation_ * deviation_ - known, 0.0)};
}

}  // namespace strata
