#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// Reads a file of ours that holds secrets. Fails with NotFound, InvalidArgument if others than its
/// owner can read it or it is no regular file of at most 1 MiB, Io. Errors never quote it.
Result<std::string> readSecretFile(const std::filesystem::path& file);

/// The same for a file that holds one token: without blanks and line ends around it.
/// Fails with InvalidArgument, too, if it is empty or holds more than one line.
Result<std::string> readTokenFile(const std::filesystem::path& file);

/// Makes a folder for such files, mode 0700, unless it is there. Fails with NoSpace, Io.
Result<void> makeSecretFolder(const std::filesystem::path& folder);

/// Writes such a file: mode 0600, its folder (made if it is missing) 0700, whole or not at all.
/// Fails with NoSpace, Io.
Result<void> writeSecretFile(const std::filesystem::path& file, std::string_view content);

/// A token without blanks around it. Fails with InvalidArgument if nothing is left or it holds
/// blanks or control characters. `source` says where it came from.
Result<std::string> cleanToken(std::string_view text, std::string_view source);

}  // namespace strata::hub
