#pragma once

#include "core/io/models/model_converter.h"

namespace strata {

/// Writes the tensors of a model as one safetensors file: those of PyTorch's archives, `.npz`, ONNX
/// and safetensors files, in the shapes and under the names that their programs show them by. Wide
/// words come first, so that each tensor begins at a multiple of its word. What is turned round or
/// cut out of another tensor is written row by row; the memory that takes is small.
///
/// Metadata is {"format": "pt"}, which loaders ask for, where there are PyTorch's files, else that
/// of the model.
///
/// Fails as plainArraysOf(), with Unsupported for `.distcp` files, whose tensors are parts, with
/// InvalidArgument where a glob matches nothing, no tensor is left or
/// two have one name, and with what `sink` fails with.
Result<ConvertedTensors> copyAsSafetensors(const ModelDescription& model,
                                           const TensorChoice& choice, ByteSink& sink);

}  // namespace strata
