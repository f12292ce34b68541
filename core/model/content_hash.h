#pragma once

#include <cstdint>
#include <string_view>

#include "core/digest.h"

namespace strata {

/// The content digest of a model: SHA-256 over its files, sorted by path, each as
/// `path NUL size(8 bytes, little-endian) sha256(32 bytes)`.
class ContentHash {
 public:
  void add(std::string_view path, std::uint64_t byteCount, std::span<const std::byte> sha256);
  Digest finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

}  // namespace strata
