#pragma once

#include <span>
#include <vector>

#include "core/search/linear_belief.h"

namespace strata {

/// What is believed of the logarithm of a sum over groups of tensors, such as a loss that each
/// group adds to: with s the logarithm of a group's step and n the knobs that act on it, in
/// notches,
///
///   log sum over groups of exp(level + share + power s + sum of effect n)
///
/// One level, a share and a power for each group, an effect for each knob, each with a normal
/// prior; linearised around what is believed until that no longer moves (Gauss-Newton), so that a
/// group that was small before others shrank counts for what it is. Without a group, as of a model
/// of integers, the sum is its level.
class AdditiveBelief {
 public:
  using Prior = LinearBelief::Prior;
  using Guess = LinearBelief::Guess;

  struct Group {
    Prior share;                     ///< logarithm of its part of the sum, where nothing is turned
    Prior power;                     ///< of its step
    std::vector<std::size_t> knobs;  ///< that act on it
  };
  /// Where something was measured, or is asked for.
  struct Place {
    std::vector<double> steps;    ///< by group: logarithms
    std::vector<double> notches;  ///< by knob
  };
  struct Observation {
    Place place;
    double value = 0;
  };

  /// `noise` and `noiseCount` as those of LinearBelief.
  AdditiveBelief(Prior level, std::vector<Group> groups, std::span<const Prior> effects,
                 double noise, double noiseCount);

  /// Forgets what was learnt before. All places have as many steps and notches as there are groups
  /// and knobs.
  void learn(std::span<const Observation> observations);

  Guess guess(const Place& place) const;
  double noise() const noexcept { return belief_.noise(); }

 private:
  /// The sum's logarithm with the coefficients as believed, and how it answers to each of them.
  double valueAt(const Place& place, std::vector<double>& gradient) const;

  std::vector<Group> groups_;
  std::vector<double> coefficients_;  ///< level, shares, powers, effects
  LinearBelief belief_;
};

}  // namespace strata
