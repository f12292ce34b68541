#pragma once

#include <filesystem>
#include <memory>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata::hub {

/// Any file as a model of one file whose bytes mean nothing. Fails with NotFound, Io.
Result<std::unique_ptr<ModelSource>> openOpaqueFile(const std::filesystem::path& file);

}  // namespace strata::hub
