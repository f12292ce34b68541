#pragma once

#include <optional>
#include <vector>

#include "core/archive/write/part_encoder.h"
#include "core/quantize/quantize_settings.h"
#include "core/quantize/sensitivity.h"

namespace strata {

/// Whether a tensor has an inner product to speak of. Others are norms, biases and the like.
bool isMatrix(const TensorInfo& tensor);

/// Whether `levels` takes the place of `patterns` at this step, in units of the changes' root mean
/// square: patterns have some words each, and finer steps would not make them any nearer.
bool isTooFineForPatterns(double step) noexcept;

/// How far a model is from its parent: root mean squares of the differences between words that can
/// be quantized and their parent's.
struct ChangeScale {
  double matrices = 0;              ///< of all matrices together; of everything where there is none
  std::vector<double> tensors;      ///< of each tensor
  std::vector<double> partSquares;  ///< of each part of the plan: the sum of squares
};

/// Zeros where there is no parent or nothing differs. Fails as reading the parent does.
Result<ChangeScale> measureChangeScale(const ModelDescription& model, const ModelPlan& plan,
                                       const PartEncoder& encoder);

/// How each tensor of `model` is quantized under `settings`; nothing for those that stay exact.
/// Steps are in units of `scale.matrices`, or of a vector's own change where that is larger; the
/// step factors of `sensitivities` multiply them (empty: 1 for all). The choices borrow the weights
/// and gradients there.
std::vector<std::optional<LossyChoice>> chooseForTensors(
    const ModelDescription& model, const QuantizeSettings& settings, const ChangeScale& scale,
    std::span<const TensorSensitivity> sensitivities);

}  // namespace strata
