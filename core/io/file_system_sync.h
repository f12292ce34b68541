#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "core/io/open_file.h"
#include "core/result.h"

namespace strata {

/// Brings many small files and their names to the disk at once, where a sync of each would take
/// most of the time. Begun before the first of them is written, so that no failure is missed.
/// Other programs' files on that file system are written out, too: for few files sync each instead.
class FileSystemSync {
 public:
  /// So many files are sooner synced each by itself.
  static constexpr std::size_t kFew = 8;

  /// Of the file system that `folder` is on. Fails with NotFound or Io.
  static Result<FileSystemSync> begin(const std::filesystem::path& folder);

  /// All that was written there, and all names, are on the disk. Fails with NoSpace or Io.
  Result<void> run() const;

 private:
  FileSystemSync(std::filesystem::path folder, std::unique_ptr<OpenFile> opened)
      : folder_(std::move(folder)), opened_(std::move(opened)) {}

  std::filesystem::path folder_;
  std::unique_ptr<OpenFile> opened_;
};

}  // namespace strata
