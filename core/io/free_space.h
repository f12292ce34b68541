#pragma once

#include <cstdint>
#include <filesystem>

#include "core/result.h"

namespace strata {

/// Bytes that this user can still write where `path` is or will be: its nearest existing folder.
/// Fails with Io.
Result<std::uint64_t> freeBytes(const std::filesystem::path& path);

/// Fails with NoSpace, naming both numbers, if less than `neededBytes` are free at `path`.
Result<void> checkFreeSpace(const std::filesystem::path& path, std::uint64_t neededBytes);

/// Bytes of the files in a folder and those below; files may come and go while they are counted.
std::uint64_t bytesUnder(const std::filesystem::path& folder);

}  // namespace strata
