#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Asked before the work that a report tells of, unless the user said that a file may be replaced.
/// Fails with InvalidArgument if there is one.
Result<void> refuseReplacing(const std::filesystem::path& file);

/// Writes a table or a picture to a path that the user named. A file appears whole or stays as it
/// was, folders above it are made, and a link to a file stays one. A fifo, a device or an open file
/// (/dev/stdout) is written into. Fails with InvalidArgument (inside a store), NoSpace, Io.
Result<void> writeReport(const std::filesystem::path& file, std::string_view bytes);

}  // namespace strata
