#pragma once

#include <span>
#include <vector>

namespace strata {

/// What is believed of a number that is about linear in some features: Bayesian linear regression
/// with a normal prior for each coefficient, and noise whose size is learnt, too.
class LinearBelief {
 public:
  struct Prior {
    double mean = 0;
    double deviation = 1;
  };
  struct Observation {
    std::vector<double> features;
    double value = 0;
    double weight = 1;  ///< 1: as good as any; less where it is from far away
  };
  struct Guess {
    double mean = 0;
    double variance = 0;  ///< of the mean; an observation adds noise() squared
  };

  /// `noise` is what is believed of the noise's deviation, as if seen in `noiseCount` observations.
  LinearBelief(std::span<const Prior> priors, double noise, double noiseCount);

  /// Forgets what was learnt before. All observations have as many features as there are priors.
  void learn(std::span<const Observation> observations);

  Guess guess(std::span<const double> features) const;
  double noise() const noexcept { return noise_; }
  std::span<const double> means() const noexcept { return means_; }  ///< of the coefficients

 private:
  std::vector<Prior> priors_;
  double priorNoise_;
  double noiseCount_;
  std::vector<double> means_;
  std::vector<double> covariance_;  ///< as many rows and columns
  double noise_;
};

}  // namespace strata
