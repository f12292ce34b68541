#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// The small files of a remote in a folder: its marker and its refs. Each push writes its refs
/// under a new name, which only one pusher should get (hub/generation.h).

/// How many bytes the file at `place` has. Nothing where no file is, be it that something else lies
/// there or in the place of its folder. Fails with Io.
Result<std::optional<std::uint64_t>> fileBytes(const std::filesystem::path& place);

/// Makes room for a file, and its folder: a folder, fifo or device in its place, or a link to a
/// fifo or device, or what is no folder in the place of its folder, gets the name
/// NAME.damaged-RANDOM. Fails with Io.
Result<void> makeRoom(const std::filesystem::path& file);

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
