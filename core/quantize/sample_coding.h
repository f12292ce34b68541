#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/write_options.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// What coding some parts of a version gave. Nothing of it can be read: it is for its figures.
struct CodedSample {
  std::uint64_t packBytes = 0;
  Manifest manifest;                               ///< of these parts, with all tensors and files
  std::vector<QuantizationError> partErrors = {};  ///< of each part of the plan
};

/// Codes the parts of `options.plan`, which are some of the model's, as writeVersion() would.
/// Fails as that does.
Result<CodedSample> codeSample(const ModelSource& model, const VersionReader* parent,
                               const CodingOptions& options, const std::stop_token& stop);

}  // namespace strata
