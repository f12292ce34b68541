#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// The small files of a remote in a folder: its marker and its refs. Each push writes its refs
/// under a new name, which only one pusher should get (hub/generation.h).

/// A file of at most kMaxIndexBytes. Fails with NotFound, CorruptData (it is longer) or Io.
Result<std::string> readRefFile(const std::filesystem::path& file);

/// Writes `text` to `place` unless that exists. Whether the name became ours. `temporaryFolder`
/// lies on the same file system. Fails with NoSpace or Io; others may see the file all the same.
Result<bool> claimRefFile(const std::filesystem::path& temporaryFolder,
                          const std::filesystem::path& place, std::string_view text);

/// Whether only one of two claims at the same time can succeed. That takes hard links, or renames
/// that replace nothing. Some file systems have neither. Also true where nothing can be written.
bool claimsAreAtomic(const std::filesystem::path& temporaryFolder);

}  // namespace strata::hub
