#pragma once

#include <vector>

#include "core/archive/write/part_encoder.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// What errors of a tensor mean to the loss, next to those of the model's other tensors and of each
/// other.
struct TensorSensitivity {
  double stepFactor = 1;            ///< how much coarser it may be quantized, 1/4 to 4
  std::vector<float> rows = {};     ///< weights of squared errors, 1 in the mean; empty: all alike
  std::vector<float> columns = {};  ///< likewise
  TensorGradients gradients = {};

  ErrorWeights weights() const noexcept { return {rows, columns}; }
};

/// What gradients say of each tensor of `model`; nothing of those that `gradients` does not hold.
/// A tensor's step factor is (its mean squared gradient / their geometric mean)^(-1/4), the weight
/// of a row or column its own mean squared gradient, drawn to the tensor's.
///
/// `gradients` holds tensors of the model's names and shapes, in a float type: gradients, or their
/// squares (a Fisher diagonal) if none is negative; it must outlive the result. Fails with
/// InvalidArgument where a shape differs or no name is the model's.
Result<std::vector<TensorSensitivity>> sensitivityOfGradients(const ModelDescription& model,
                                                              const ModelDescription& gradients);

/// A stand-in without data: squared gradients are taken to go with the mean squares of the parent's
/// tensors, rows and columns, as they do in nets of convolutions (on a ResNet-56 the correlation of
/// their logarithms is 0.8 between tensors; on a transformer it is -0.3). Fails as reading the
/// parent does.
Result<std::vector<TensorSensitivity>> sensitivityOfNorms(const ModelDescription& model,
                                                          const ModelPlan& plan,
                                                          const PartEncoder& encoder);

}  // namespace strata
