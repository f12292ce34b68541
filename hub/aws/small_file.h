#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace strata::hub {

/// The first 64 KiB of a file without white space at its end; nothing if it cannot be read.
std::optional<std::string> smallFile(const std::filesystem::path& path);

}  // namespace strata::hub
