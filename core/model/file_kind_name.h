#pragma once

#include <string_view>

#include "core/model/model_source.h"

namespace strata {

/// As reports say it: "onnx", "external data", "safetensors", "pytorch", "npz" or "other".
std::string_view name(FileKind kind) noexcept;

}  // namespace strata
