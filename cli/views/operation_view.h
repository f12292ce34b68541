#pragma once

#include <string>

#include "cli/output.h"
#include "core/store/refs/operation.h"

namespace strata::cli {

/// `canUndo`: whether `undo` with its number takes it back.
Json toJson(const Operation& operation, bool canUndo);

/// "remove sst2:v1, sst2:v2  (2026-03-09 14:02)"
std::string operationText(const Operation& operation);

}  // namespace strata::cli
