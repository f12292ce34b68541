#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// How an optimizer's kernel found its first moment: what the gradient is worked out from. Stored:
/// never renumbered.
enum class GradientForm : std::uint8_t {
  Axpy = 0,    ///< m1 = beta1 * m0 rounded, plus (1 - beta1) * g
  Lerp = 1,    ///< m1 = m0 + (1 - beta1) * (g - m0)
  Double = 2,  ///< m1 = beta1 * m0 + (1 - beta1) * g in f64, rounded once
};

/// How it rounds the second moment. Stored: never renumbered.
enum class SquareForm : std::uint8_t {
  Fused = 0,    ///< fma((1 - beta2) * g, g, beta2 * v0)
  Rounded = 1,  ///< the same with each step rounded
  Double = 2,   ///< in f64, rounded once
};

/// How it scales the square root of the second moment. Stored: never renumbered.
enum class DenominatorForm : std::uint8_t {
  Divided = 0,     ///< sqrt(v1) / root + epsilon
  Multiplied = 1,  ///< sqrt(v1) * (1 / root) + epsilon
};

/// How it moves the weight. Stored: never renumbered.
enum class UpdateForm : std::uint8_t {
  Scaled = 0,         ///< w + (-rate * m1) / d
  Quotient = 1,       ///< w + -rate * (m1 / d)
  FusedQuotient = 2,  ///< fma(-rate, m1 / d, w)
  Momentum = 3,       ///< w + -rate * m1; there is no v
  FusedMomentum = 4,  ///< fma(-rate, m1, w)
  Drift = 5,          ///< w + (-rate * m1 + -earlierRate * m0) / d: several steps at once, about
};

/// Constants of the second moment; those in f32 are what the f64 ones round to.
struct SquareTerms {
  GradientForm gradient;
  SquareForm form;
  double beta1;
  double inverse;  ///< 1 / (1 - beta1), of the f32 number but for GradientForm::Double
  double beta2;
  double share;  ///< of the gradient's square: 1 - beta2 where it is one step
};

/// Constants of the weights.
struct UpdateTerms {
  DenominatorForm denominator;
  UpdateForm form;
  bool decaysInDouble;  ///< w0 - decay * w0 in f64, rounded once; else w0 * (1 - decay) in f32
  double decay;         ///< learning rate * weight decay
  float root;           ///< square root of the second bias correction, or its inverse
  float epsilon;
  float rate;         ///< negative: learning rate over the first bias correction
  float earlierRate;  ///< negative; of UpdateForm::Drift
};

/// What weights follow from.
struct UpdateSources {
  const float* w0;
  const float* m1;
  const float* v1;  ///< may be null for the two forms of momentum
  const float* m0;  ///< may be null for all but UpdateForm::Drift
};

/// The arithmetic of Adam and of SGD with momentum, step by step as training frameworks round it:
/// for predicting a snapshot's second moments and weights from its first moments. All sets give the
/// same bits: sums and products are rounded one by one, fused ones through f64. Where a result is
/// no number, the old word stays.
struct ReplayKernels {
  void (*secondMoment)(const SquareTerms& terms, const float* m0, const float* m1, const float* v0,
                       std::size_t count, float* out) noexcept;
  void (*weights)(const UpdateTerms& terms, const UpdateSources& from, std::size_t count,
                  float* out) noexcept;
  /// Several steps of which one alone had a gradient: `earlierRate` goes with the second moment
  /// before that, which follows from v1 and the square of the gradient that both first moments
  /// tell. All sources are there; the terms' forms of the update and of squares do not matter.
  void (*weightsOfOne)(const UpdateTerms& terms, const SquareTerms& squares,
                       const UpdateSources& from, std::size_t count, float* out) noexcept;
};

/// Those that go with a set of usableKernels().
const ReplayKernels& replayKernels(const CpuKernels& set) noexcept;
/// Those that go with bestKernels().
const ReplayKernels& bestReplayKernels() noexcept;

}  // namespace strata::kernels
