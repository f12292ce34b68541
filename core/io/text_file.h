#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Writes a small text file whole: temporary name in its folder, sync, rename. Makes the folder. A
/// file that is there keeps its mode, a new one gets `newMode`. Fails with Io or NoSpace.
Result<void> writeTextFile(const std::filesystem::path& file, std::string_view text,
                           unsigned newMode = 0644);

}  // namespace strata
