#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "core/quantize/quantize_settings.h"

namespace strata::cli {

/// Says where a command works that has no code for GPUs. Fails with Device where the command line
/// insists on a GPU; where the settings do, a line says that the CPU does the work.
Outcome claimCpuWork(Context& context, std::string_view what);

/// The device of such work: null. Fails as claimCpuWork().
Attempt<Device*> noDeviceFor(Context& context, std::string_view what);

/// What `--device` asks for where a model is quantized, by default or by one codec for all; null
/// where that codec has no code for GPUs. Fails as claimCpuWork().
Attempt<Device*> deviceForQuantizing(Context& context, const std::optional<std::string>& codec,
                                     const QuantizeSettings& settings);

/// The same for a whole command. Those that may use a GPU say it themselves; those that code
/// nothing have no word of settings.
Outcome claimCpuCommand(Context& context, std::string_view name);

}  // namespace strata::cli
