#pragma once

#include <span>
#include <vector>

#include "core/search/linear_belief.h"

namespace strata {

/// What is believed of that by which a simple model is off: alike at places near each other, 0 far
/// from all that was seen. A Gaussian process with a squared exponential covariance (Rasmussen,
/// Williams: Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
class NearbyBelief {
 public:
  using Guess = LinearBelief::Guess;

  struct Observation {
    std::vector<double> place;  ///< in units over which the model's error changes
    double value = 0;           ///< what was measured less what the model says
    double noise = 0;           ///< its deviation, above 0
  };

  /// `deviation` is that of the model's error, beforehand.
  explicit NearbyBelief(double deviation) : deviation_(deviation) {}

  /// Forgets what was learnt before.
  void learn(std::vector<Observation> observations);
  Guess guess(std::span<const double> place) const;

 private:
  double covariance(std::span<const double> a, std::span<const double> b) const;

  double deviation_;
  std::vector<Observation> seen_;
  std::vector<double> inverse_;  ///< of the observations' covariance, as many rows and columns
  std::vector<double> weights_;  ///< that times the values
};

}  // namespace strata
