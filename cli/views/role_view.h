#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "core/ops/inspect/role_errors.h"

namespace strata::cli {

/// "first moments 0.38 of their size", one for each; those that were dropped say so.
std::vector<std::string> roleErrorTexts(std::span<const RoleError> errors);

Json toJson(std::span<const RoleError> errors);

}  // namespace strata::cli
