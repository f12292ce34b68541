#pragma once

#include <unistd.h>

#include <filesystem>

namespace strata {

/// A descriptor that is closed at the end of its scope; below 0 where ::open failed.
struct OpenFile {
  explicit OpenFile(int opened) noexcept : descriptor(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }

  const int descriptor;
};

/// Whether an open file or folder is the one that `path` names: another program may have moved or
/// removed it since, or put a link in its place.
bool isStillNamed(int descriptor, const std::filesystem::path& path) noexcept;

}  // namespace strata
