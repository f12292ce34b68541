#pragma once

#include <unistd.h>

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

}  // namespace strata
