#pragma once

#include <filesystem>
#include <utility>

#include "core/result.h"

namespace strata {

/// Keeps other processes and threads that take the lock of the same folder waiting: around reading,
/// changing and writing one of its small files. It needs no file of its own and ends with the
/// process; it keeps nobody from the files who does not ask for it.
class FolderMutex {
 public:
  /// Waits for moments. A file system that has no locks gives one that keeps nobody out. Fails with
  /// NotFound, Io.
  static Result<FolderMutex> take(const std::filesystem::path& folder);

  FolderMutex(FolderMutex&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderMutex& operator=(FolderMutex&&) = delete;
  ~FolderMutex();

 private:
  explicit FolderMutex(int descriptor) noexcept : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace strata
