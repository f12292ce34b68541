#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/result.h"

namespace strata {

/// A whole file, mapped read-only. The only mmap of the program. The file must not change while
/// it is mapped. Move-only; views die with it.
class MappedFile {
 public:
  /// Fails with NotFound, or Io where `path` is no readable regular file.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;  ///< an empty file
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace strata
