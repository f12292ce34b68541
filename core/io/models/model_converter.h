#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/io/models/model_sink.h"
#include "core/io/models/plain_array.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Which tensors of a model go into another file.
struct TensorChoice {
  std::vector<std::string> globs = {};  ///< of their names, with * and ?; empty: all
  bool weightsOnly = false;             ///< without what an optimizer keeps (isOptimizerState)
};

/// What was written.
struct ConvertedTensors {
  std::uint64_t tensorCount = 0;
  std::uint64_t byteCount = 0;              ///< of the file
  std::vector<LeftOutTensor> leftOut = {};  ///< of no type that the file could have
};

/// Writes the tensors of a model as one file of another format. Core knows no formats: programs
/// give it one of onnx_io.
using ModelConverter = std::function<Result<ConvertedTensors>(
    const ModelDescription& model, const TensorChoice& choice, ByteSink& sink)>;

}  // namespace strata
