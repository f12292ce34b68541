#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "core/result.h"

namespace strata {

/// The text of a settings or profile file, at most 1 MB; empty where there is no file.
/// Fails with Io or LimitExceeded.
Result<std::string> readTomlText(const std::filesystem::path& file);

/// Fails with InvalidArgument, naming `file` and the line.
Result<toml::table> parseToml(std::string_view text, const std::filesystem::path& file);

/// Writes a small text file whole: temporary name in its folder, sync, rename. Makes the folder. A
/// file that is there keeps its mode, a new one gets `newMode`. Fails with Io or NoSpace.
Result<void> writeTomlText(const std::filesystem::path& file, std::string_view text,
                           unsigned newMode = 0644);

}  // namespace strata
