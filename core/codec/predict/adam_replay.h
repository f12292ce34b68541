#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/entropy/byte_io.h"
#include "kernels/replay_kernels.h"

namespace strata {

/// How one framework's kernel rounds a step of Adam, AdamW or SGD with momentum.
struct AdamVariant {
  kernels::GradientForm gradient = kernels::GradientForm::Axpy;
  kernels::SquareForm square = kernels::SquareForm::Fused;
  kernels::DenominatorForm denominator = kernels::DenominatorForm::Divided;
  kernels::UpdateForm update = kernels::UpdateForm::Scaled;
  bool decaysInDouble = false;

  friend bool operator==(const AdamVariant&, const AdamVariant&) = default;
};

/// One step of an optimizer: what leads from the first moments and the state before it to the
/// second moments and the weights after it. Snapshots one step apart need to hold first moments
/// only; the rest is predicted, most of it to the bit.
struct AdamStep {
  AdamVariant variant = {};
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weightDecay = 0;  ///< decoupled, as AdamW's; 0 for Adam, whose gradients hold it
  /// 1 - beta1^t and 1 - beta2^t of the step's number t. Kept in place of t, since machines differ
  /// in the last bit of a power.
  double correction1 = 1;
  double correction2 = 1;
  /// What the gradient's square adds to the second moment: 1 - beta2 where it is one step.
  double squareShare = 1 - 0.999;
  /// Rate of the first moment before, over the first correction; of UpdateForm::Drift alone, which
  /// stands for several steps at once.
  double earlierLr = 0;

  /// Sets the corrections for step number `step`, 1 for a run's first one.
  void setNumber(std::uint64_t step);

  friend bool operator==(const AdamStep&, const AdamStep&) = default;
};

/// Words are those of f32 tensors; all spans of a call have the same size. The same bits on every
/// machine, whatever the host has set for rounding. Where the arithmetic gives no number, the old
/// word is predicted.
///
/// `m0`, `v0` and `w0` belong to the snapshot before the step, `m1`, `v1` and `w1` to the one after
/// it. `out` may be `v0`.
void predictSecondMoment(const AdamStep& step, std::span<const std::uint32_t> m0,
                         std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v0,
                         std::span<std::uint32_t> out);
/// `v1` is empty for SGD (usesSecondMoment()), `m0` but for usesEarlierMoment(). `out` may be `w0`.
void predictWeights(const AdamStep& step, std::span<const std::uint32_t> w0,
                    std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v1,
                    std::span<std::uint32_t> out, std::span<const std::uint32_t> m0 = {});
/// How one row of weights moved over several steps (UpdateForm::Drift).
struct RowDrift {
  float rate = 0;         ///< of m1, negative, over the first correction
  float earlierRate = 0;  ///< of m0
  /// Share of the gradient's square where one step alone had a gradient: the earlier rate then goes
  /// with the second moment before that. Null for all other rows.
  const float* share = nullptr;
};

/// The weights of one row after several steps, by rates of its own. `out` may be `w0`.
void predictRow(const AdamStep& step, const RowDrift& row, std::span<const std::uint32_t> w0,
                std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v1,
                std::span<const std::uint32_t> m0, std::span<std::uint32_t> out);
/// Whether predictWeights() reads second moments: false for SGD with momentum.
bool usesSecondMoment(const AdamStep& step) noexcept;
/// Whether it reads the first moments before the step: true for several steps at once.
bool usesEarlierMoment(const AdamStep& step) noexcept;

/// docs/FORMAT.md, "Steps of an optimizer": 61 bytes, of several steps 77.
void writeAdamStep(ByteWriter& out, const AdamStep& step);
/// Nothing if the bytes are damaged: an unknown form, numbers out of range.
std::optional<AdamStep> readAdamStep(ByteReader& in);

}  // namespace strata
