#pragma once

#include <filesystem>

#include "core/result.h"

namespace strata {

/// The right to fill a folder: a lock on `FOLDER.lock` beside it, which the system takes back when
/// the process dies. Move-only.
class FolderLock {
 public:
  /// Makes the folder's parent. Fails with StoreLocked if another process, or another lock of this
  /// one, has it; Io.
  static Result<FolderLock> take(const std::filesystem::path& folder);
  static bool isTaken(const std::filesystem::path& folder);
  /// Deletes the folder and the lock's file unless somebody has it; whether they are gone.
  static bool removeFree(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) noexcept : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace strata
