#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/codec/predict/adam_replay.h"

namespace strata {

/// Words of one or several tensors of two snapshots a step apart, the same places of each; f32.
/// Some ten thousand are enough. `v0` and `v1` are empty for SGD. A pair may be empty where it is
/// not known or not to be predicted.
struct StepSample {
  std::span<const std::uint32_t> m0;
  std::span<const std::uint32_t> m1;
  std::span<const std::uint32_t> v0;
  std::span<const std::uint32_t> v1;
  std::span<const std::uint32_t> w0;
  std::span<const std::uint32_t> w1;
};

/// What is known of a step, such as from an optimizer.pt's `param_groups`.
struct StepSettings {
  double beta1 = 0.9;  ///< the momentum of SGD
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 0.01;
  std::uint64_t step = 0;       ///< number of the later snapshot's step; 0: not known
  std::uint64_t stepCount = 1;  ///< steps between the snapshots
  /// Learning rates that may be the step's: those that the two checkpoints name. A scheduler moves
  /// on before a checkpoint is written, so that the earlier one's is tried first. May be empty.
  std::vector<double> rates = {};
};

/// A step and the share of the sample's words that it predicts to the bit; 0 for what the sample
/// lacks.
struct FittedStep {
  AdamStep step;
  double secondMomentShare = 0;
  double weightShare = 0;
};

/// Tries all variants and learning rates, and a rate worked out from the words where none of those
/// fits. Returns the step that predicts most words; nothing where neither second moments nor
/// weights are predicted better than by half.
std::optional<FittedStep> fitStep(const StepSettings& settings, const StepSample& sample);

}  // namespace strata
