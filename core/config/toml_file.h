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

}  // namespace strata
