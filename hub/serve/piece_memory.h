#pragma once

#include <cstddef>
#include <span>

namespace strata::hub {

/// The bytes of a restored piece. Their pages go back to the system with them: pieces of many sizes
/// come and go, and an allocator that keeps what is freed for the next block of that size would
/// come to hold twice what is in use. Neither copied nor moved.
class PieceMemory {
 public:
  /// Throws std::bad_alloc.
  explicit PieceMemory(std::size_t byteCount);
  ~PieceMemory();
  PieceMemory(const PieceMemory&) = delete;
  PieceMemory& operator=(const PieceMemory&) = delete;

  const std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::span<std::byte> bytes() noexcept { return bytes_; }

  /// Whether it can take a piece of so many bytes without wasting more than a quarter.
  bool fits(std::size_t byteCount) const noexcept;
  /// For another piece, which fits: fresh pages cost a quarter of decoding into them.
  void reuse(std::size_t byteCount) noexcept { bytes_ = {bytes_.data(), byteCount}; }

 private:
  std::size_t capacity_;
  std::span<std::byte> bytes_;
};

}  // namespace strata::hub
