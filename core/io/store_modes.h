#pragma once

#include <sys/types.h>

#include <filesystem>

#include "core/result.h"

namespace strata {

/// Who may write what lies in a store or in the folder of a remote. Whatever the umask, that is the
/// owner alone. In the folder of a group (setgid and writable by the group) the group may, too;
/// what is made in it inherits that, so all that decides is the mode of the outermost folder.

/// Opens a file with `flags`, and makes it if it is not there: mode 0644 less the umask, 0664 in
/// the folder of a group. Neither follows a link nor waits at a fifo. As ::open: -1 and errno on
/// failure, ENXIO where something else than a file lies there.
int openStoreFile(const std::filesystem::path& file, int flags) noexcept;

/// What the folder of a group adds to the mode of a file in it; 0 in any other folder.
mode_t groupFileMode(const std::filesystem::path& file) noexcept;

/// Makes a folder with those above it: 0755 less the umask, as the one above it in the folder of a
/// group. Answers whether it is new. Fails with NoSpace, Io.
Result<bool> makeStoreFolder(const std::filesystem::path& folder);

/// Takes the right to write from all, for what never changes again: 0444 less the umask.
/// Another user's file stays as it is. Fails with Io.
Result<void> makeReadOnly(int descriptor, const std::filesystem::path& file);
Result<void> makeReadOnly(const std::filesystem::path& file);

enum class Sharing { None, Group };

/// Makes a folder, all folders in it and all files a group's, or the owner's alone. What belongs to
/// another user stays as it is. Fails with NotFound, Io.
Result<void> shareFolder(const std::filesystem::path& folder, Sharing sharing);

}  // namespace strata
