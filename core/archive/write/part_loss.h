#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/archive/write/part_encoder.h"

namespace strata {

/// What a part lost by quantizing: `restored` are its words as they will be restored.
QuantizationError measureError(const EncodeInput& input, std::span<const std::byte> restored);

/// How words without a parent are quantized. They are weights of their own: fine levels, whatever
/// the changes of the others may bear.
LossyChoice choiceAlone(const EncodeInput& input);

/// |gradient| of a part's words; empty where they are not known. `columns` are those of the
/// tensor's matrix.
std::vector<float> gradientsOf(const TensorGradients& gradients, const PartPlan& part,
                               std::uint64_t columns);

/// The weights of a part's rows and columns among those of its tensor.
ErrorWeights weightsOf(const ErrorWeights& weights, const PartLayout& part);

}  // namespace strata
