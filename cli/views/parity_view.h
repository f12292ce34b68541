#pragma once

#include <string>

#include "cli/output.h"
#include "core/store/parity/parity_check.h"

namespace strata::cli {

/// What parity protects: `null` where there is none.
Json parityJson(const ParityState& state);
/// "2/10, 34 objects (120.1 MB) by 26.3 MB of parity"; empty where there is none.
std::string parityText(const ParityState& state);
/// Says what lacks protection that should have it, and what gives it that.
void noteUnprotected(Output& output, const ParityState& state);

}  // namespace strata::cli
