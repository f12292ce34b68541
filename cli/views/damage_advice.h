#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "core/ops/care/verify_store.h"

namespace strata::cli {

/// Prints what a check found damaged, and what mends it; `remotes`: names that advice can give.
void printDamages(Output& output, const VerifyReport& report,
                  const std::vector<std::string>& remotes);

}  // namespace strata::cli
