#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/io/temp_file.h"
#include "core/result.h"

namespace strata {

/// A temporary file in a folder of the user's, where nothing else would ever clean up. A lock on
/// it, which the system takes back when the process dies, tells other processes that it is in use
/// until it has its name; process numbers would not, since containers count them on their own.
/// Move-only.
class OwnedFile {
 public:
  /// Makes a file with a new claimName() in `folder`. Fails as TempFile::create.
  static Result<OwnedFile> make(const std::filesystem::path& folder, std::string_view prefix,
                                std::uint32_t mode = kNewFileMode);

  /// Deletes files of such names in `folder` that are the user's own and that no process holds:
  /// killed ones left them. Reads the whole folder.
  static void removeDead(const std::filesystem::path& folder, std::string_view prefix) noexcept;

  OwnedFile(OwnedFile&& other) noexcept
      : lock_(std::exchange(other.lock_, -1)), file_(std::move(other.file_)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept;
  ~OwnedFile();

  TempFile* operator->() noexcept { return &file_; }
  const TempFile* operator->() const noexcept { return &file_; }

 private:
  OwnedFile(int lock, TempFile file) noexcept : lock_(lock), file_(std::move(file)) {}

  int lock_ = -1;  ///< a descriptor; -1 where the file may be opened by nobody
  TempFile file_;
};

}  // namespace strata
