#pragma once

#include <cstdint>
#include <optional>

#include "core/codec/predict/fit_step.h"

namespace strata {

/// Several steps of Adam as one that predicts about: no word to the bit but where no gradient came,
/// yet most of them nearer than the earlier snapshot is.
struct FittedDrift {
  AdamStep step;  ///< its `beta1` and `beta2` are those of all steps together
  /// Bits a word that the prediction takes off the difference; not above 0: do not predict.
  double secondMomentSaved = 0;
  double weightSaved = 0;
};

/// Fits what lies between two snapshots several steps apart. What is left of the old moments is
/// known from the betas. How far the weights moved is fitted to both first moments, since a moment
/// says which way the steps around it went. Learning rates are not needed. Nothing where the sample
/// lacks a moment or says nothing.
std::optional<FittedDrift> fitDrift(const StepSettings& settings, const StepSample& sample);

/// The two halves of fitDrift(), for the words of one tensor alone: of a drift that was fitted to
/// several tensors, the share of the gradient's square (a sample without weights), and the rates of
/// the weights (one without the earlier second moment). They return the bits a word that the drift
/// then saves; where that is not above 0, it stays as it was.
double fitSquareShare(const StepSample& sample, AdamStep& drift);
double fitWeightRates(const StepSample& sample, AdamStep& drift);

/// Bits of the differences between f32 words and what is predicted of them, by the places of their
/// values, all together: what a choice between predictions goes by. Both have the same size.
std::uint64_t differenceBits(std::span<const std::uint32_t> predicted,
                             std::span<const std::uint32_t> words);

}  // namespace strata
