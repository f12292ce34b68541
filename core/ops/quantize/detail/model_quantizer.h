#pragma once

#include <memory>
#include <string>

#include "core/ops/quantize/tune_model.h"
#include "core/quantize/quantizer.h"

namespace strata {

/// A model, ready to be quantized against what the store has of it.
struct ModelQuantizer {
  std::string parentLabel;
  std::unique_ptr<Quantizer> quantizer;
};

/// Finds the parent as `options.parent` says. `model` must outlive what is returned. Fails with
/// InvalidArgument where nothing in the store is a base of the model, else as Quantizer::open().
Result<ModelQuantizer> openQuantizer(const Store& store, const ModelSource& model,
                                     const TuneOptions& options);

}  // namespace strata
