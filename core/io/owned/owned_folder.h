#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// A folder for the work of one process, deleted with all that is in it at the end. A lock on the
/// folder, which the system takes back when the process dies, tells other processes that it is in
/// use; process numbers would not, since containers that share a disk count them on their own.
/// Move-only.
class OwnedFolder {
 public:
  OwnedFolder() = default;  ///< none

  /// Makes a folder with a new claimName() in `place`. Fails with NotFound or Io.
  static Result<OwnedFolder> make(const std::filesystem::path& place, std::string_view prefix,
                                  unsigned mode = 0700);

  /// Deletes folders of such names in `place` that are the user's own and that no process holds:
  /// killed ones left them.
  static void removeDead(const std::filesystem::path& place, std::string_view prefix) noexcept;
  /// Takes them over instead: they are deleted with what is returned.
  static std::vector<OwnedFolder> takeDead(const std::filesystem::path& place,
                                           std::string_view prefix);
  /// The same as removeDead() of files (core/io/owned/owned_file.h).
  static void removeDeadFiles(const std::filesystem::path& place, std::string_view prefix) noexcept;

  OwnedFolder(OwnedFolder&& other) noexcept;
  OwnedFolder& operator=(OwnedFolder&& other) noexcept;
  ~OwnedFolder();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// The folder stays, maybe under another name.
  void release() noexcept;

 private:
  OwnedFolder(std::filesystem::path path, int descriptor) noexcept;

  std::filesystem::path path_;  ///< empty: none
  int descriptor_ = -1;
};

/// A new name, "PREFIX-" and 16 hexadecimal digits and ".tmp". The last eight digits are the first
/// of the SHA-256 of what stands before them. Nobody but Strata gives such names, so what has one
/// and belongs to no process may be deleted.
std::string claimName(std::string_view prefix);

/// Locks an open folder for this process, unless another one has it. False also if `path`
/// no longer names it. Where the file system has no such locks, nobody can delete what is in use,
/// and the answer is true.
bool lockEntry(int descriptor, const std::filesystem::path& path) noexcept;

/// Opens a file to lock it, for reading or, where its mode forbids that, for writing. Below 0 where
/// it cannot be opened, or is a link. Does not wait for who writes to a fifo.
int openEither(const std::filesystem::path& path) noexcept;

}  // namespace strata
