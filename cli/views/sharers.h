#pragma once

#include <filesystem>

#include "cli/output.h"

namespace strata::cli {

/// Says which group shares a store, which is the group of its folder, and how that is changed.
void noteSharers(Output& output, const std::filesystem::path& storeFolder);

}  // namespace strata::cli
