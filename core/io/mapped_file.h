#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "core/io/mapping_faults.h"
#include "core/result.h"

namespace strata {

/// What tells whether a file is still the one that was opened. Times are in nanoseconds.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  ///< its inode
  std::uint64_t byteCount = 0;
  std::int64_t changedAt = 0;  ///< content or attributes
  std::int64_t writtenAt = 0;  ///< content
  std::uint32_t mode = 0;      ///< its kind and permission bits, as the system gives them

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// What is wrong with a mapped file of which bytes could not be read.
inline constexpr std::string_view kUnreadable =
    "cannot be read: the disk failed or the file was cut";

/// A whole file, mapped read-only. The only mmap of the program. Move-only; views die with it.
///
/// An object of a store never changes. A file of the user may change, shrink or vanish while it is
/// mapped: whoever reads one copies what has to hold still, and asks checkUnchanged() in the end.
/// Bytes that the system cannot deliver read as zeros, and hasFailed() tells of them.
class MappedFile {
 public:
  /// Fails with NotFound, or Io where `path` is no readable regular file.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;  ///< an empty file
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  /// The permission bits of the file when it was opened, among other bits.
  std::uint32_t mode() const noexcept { return stamp_.mode; }

  /// Whether some of the bytes that were read are zeros in the place of what could not be read.
  bool hasFailed() const noexcept { return watched_ != nullptr && watched_->hasFailed; }
  /// Fails with Io, naming the file, if so.
  Result<void> checkRead() const;
  /// Fails with Io if the file of that name is not what it was when it was opened, or as
  /// checkRead(). A program that writes through a mapping of its own can escape this.
  Result<void> checkUnchanged() const;

 private:
  std::span<const std::byte> bytes_;
  WatchedMapping* watched_ = nullptr;  ///< null for an empty file
  std::filesystem::path path_;
  FileStamp stamp_;
};

/// The error of a file of the user that did not hold still. `how` says what was seen.
tl::unexpected<Error> changedWhileRead(std::string_view path, std::string_view how);

}  // namespace strata
