#pragma once

#include <span>

namespace strata {

/// What is known of where trials cease to meet a target: the smooth loss up to which they do, in
/// logarithms, and how far from there they still do so or not by chance.
struct TrialGate {
  double limit = 0;
  double spread = 0;
  bool isBracketed = false;  ///< whether trials on both sides were seen

  /// Whether a trial with a loss of this mean and deviation will pass: 0 to 1.
  double chance(double mean, double deviation) const noexcept;
};

/// A trial as a gate sees it.
struct GateSample {
  double logLoss = 0;  ///< logarithm of the smooth loss
  bool passes = false;
  /// Logarithm of the part of what the target allows that it took; far below 0 where that is not
  /// known or there is none. Tells how far the limit is where it was met or missed throughout.
  double logShare = 0;
};

/// The limit that contradicts the samples least, between those that pass and those that fail; where
/// only one side was seen, as far away as their shares say.
TrialGate gateOf(std::span<const GateSample> samples);

}  // namespace strata
