#pragma once

#include <optional>
#include <vector>

#include "core/archive/part_encoder.h"
#include "core/quantize/quantize_settings.h"

namespace strata {

/// How each tensor of `model` is quantized under `settings`; nothing for those that stay exact.
/// `rms` is rmsOfChange(); `stepFactors` multiply the tensors' steps (empty: 1 for all).
std::vector<std::optional<LossyChoice>> chooseForTensors(const ModelDescription& model,
                                                         const QuantizeSettings& settings,
                                                         double rms,
                                                         std::span<const double> stepFactors);

/// Root mean square of the differences between all words that can be quantized and their parent's.
/// 0 without a parent or where nothing differs. Fails as reading the parent does.
Result<double> rmsOfChange(const ModelDescription& model, const ModelPlan& plan,
                           const PartEncoder& encoder);

}  // namespace strata
