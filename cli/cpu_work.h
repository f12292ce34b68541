#pragma once

#include <string_view>

#include "cli/context.h"

namespace strata::cli {

/// Says where a command works that has no code for GPUs. Fails with Device where the command line
/// insists on a GPU; where the settings do, a line says that the CPU does the work.
Outcome claimCpuWork(Context& context, std::string_view what);

/// The same for a whole command. Those that may use a GPU say it themselves; those that code
/// nothing have no word of settings.
Outcome claimCpuCommand(Context& context, std::string_view name);

}  // namespace strata::cli
