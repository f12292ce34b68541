#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/model/file_mode.h"
#include "core/result.h"

namespace strata {

/// A file that is written under a temporary name and gets its own name only when it is complete.
/// Removed when it goes out of scope before that. Move-only.
class TempFile {
 public:
  /// Makes `folder/PREFIX-RANDOM.tmp` with `mode`, less the umask. Fails with NotFound (no such
  /// folder), NoSpace or Io.
  static Result<TempFile> create(const std::filesystem::path& folder, std::string_view prefix,
                                 std::uint32_t mode = kNewFileMode);
  /// As create, with the mode that store_modes.h says.
  static Result<TempFile> createForStore(const std::filesystem::path& folder,
                                         std::string_view prefix);
  /// Makes `path` itself, which must not exist: a file in a temporary folder.
  static Result<TempFile> createAt(const std::filesystem::path& path,
                                   std::uint32_t mode = kNewFileMode);

  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t byteCount() const noexcept { return byteCount_; }

  /// Fails with NoSpace or Io; the file then is of no use.
  Result<void> append(std::span<const std::byte> bytes);
  /// Brings all bytes to the disk.
  Result<void> sync();
  /// Syncs, then gives the file its name, over a file that has it, and syncs the folder. Both
  /// folders must be on one file system. A link of that name is replaced, not what it leads to.
  /// Fails with Unsupported where `target` is a fifo, a device or a socket: a file never takes
  /// the place of one.
  Result<void> moveTo(const std::filesystem::path& target);
  /// As moveTo, but fails with InvalidArgument if `target` exists.
  Result<void> moveToNew(const std::filesystem::path& target);
  /// Nobody writes to it any more, not even we. Fails with Io.
  Result<void> makeReadOnly();
  /// Syncs and closes the file, which stays temporary. Nothing is appended any more; what is left
  /// to do needs no descriptor. Fails with NoSpace or Io; the file then is of no use.
  Result<void> close();
  /// Syncs and leaves the file under the name it has.
  Result<void> keep();

 private:
  TempFile(std::filesystem::path path, int descriptor) noexcept;
  Result<void> finish(const std::filesystem::path& target, bool replace);
  void discard() noexcept;

  std::filesystem::path path_;
  bool isTemporary_ = false;
  int descriptor_ = -1;  ///< -1 once it is closed
  std::uint64_t byteCount_ = 0;
};

/// Writes all bytes to a descriptor, going on after interruptions. `path` is for the error.
Result<void> writeAll(int descriptor, std::span<const std::byte> bytes,
                      const std::filesystem::path& path);

/// Makes renames and new names in a folder survive a crash.
Result<void> syncFolder(const std::filesystem::path& folder);

/// Renames `from` to `to` unless that exists: InvalidArgument.
Result<void> renameToNew(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes a small file of a store whole through a temporary file in `temporaryFolder`.
Result<void> writeFileWhole(const std::filesystem::path& temporaryFolder,
                            const std::filesystem::path& target, std::string_view text);

/// 16 hexadecimal digits that no other process will draw.
std::string randomName();

}  // namespace strata
