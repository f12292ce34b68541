#pragma once

#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// How much finer or coarser each tensor of `model` is quantized for what it means to the loss:
/// (mean squared gradient / their geometric mean)^(-1/4), between 1/4 and 4. 1 for tensors that
/// `gradients` does not hold.
///
/// `gradients` holds tensors of the model's names and shapes, in a float type: gradients, or their
/// squares (a Fisher diagonal) if none is negative. Fails with InvalidArgument where a shape
/// differs or no name is the model's.
Result<std::vector<double>> stepFactors(const ModelDescription& model,
                                        const ModelDescription& gradients);

}  // namespace strata
