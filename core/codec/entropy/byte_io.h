#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace strata {

/// Zigzag: 0, -1, 1, -2 … as 0, 1, 2, 3 …
constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

/// Appends little-endian fields and LEB128 varints to a byte vector.
class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) byte(static_cast<std::uint8_t>(value | 128));
    byte(static_cast<std::uint8_t>(value));
  }
  template <typename T>
  void fixed(T value) {
    static_assert(std::endian::native == std::endian::little);
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof value);
    std::memcpy(bytes_.data() + end, &value, sizeof value);
  }
  void bytes(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }

  std::size_t size() const noexcept { return bytes_.size(); }
  std::span<const std::byte> view() const noexcept { return bytes_; }
  std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads untrusted bytes. A read past the end gives zero and sets `failed()`, which the caller
/// asks before it uses a value as a size.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  std::uint8_t byte() noexcept { return fixed<std::uint8_t>(); }
  /// At most ten bytes; a value above 64 bits or with padding fails.
  std::uint64_t varint() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t b = byte();
      value |= (b & 127) << shift;
      if (b < 128) {
        const bool canonical = shift == 0 || b != 0;
        if (!canonical || (shift == 63 && b > 1)) failed_ = true;
        return value;
      }
    }
    failed_ = true;
    return 0;
  }
  template <typename T>
  T fixed() noexcept {
    T value{};
    const auto from = bytes(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  /// Empty and failed if fewer than `count` bytes are left.
  std::span<const std::byte> bytes(std::uint64_t count) noexcept {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto front = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return front;
  }

  bool failed() const noexcept { return failed_; }
  std::span<const std::byte> rest() const noexcept { return rest_; }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

/// Appends bits, least significant first within each byte.
class BitWriter {
 public:
  void bits(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      if (used_ == 0) bytes_.push_back(std::byte{0});
      bytes_.back() |= static_cast<std::byte>((value >> i & 1) << used_);
      used_ = (used_ + 1) % 8;
    }
  }
  /// Elias gamma of value + 1.
  void gamma(std::uint32_t value) {
    const unsigned length = static_cast<unsigned>(std::bit_width(value + 1));
    bits(0, length - 1);
    bits(1, 1);
    bits(value + 1, length - 1);
  }
  std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  unsigned used_ = 0;
};

/// Reads what BitWriter wrote; past the end it gives zeros and fails.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::uint32_t bits(unsigned count) noexcept {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 >= bytes_.size()) {
        failed_ = true;
        return 0;
      }
      value |= (std::to_integer<std::uint32_t>(bytes_[at_ / 8]) >> (at_ % 8) & 1) << i;
    }
    return value;
  }
  std::uint32_t gamma() noexcept {
    unsigned length = 0;
    while (!failed_ && bits(1) == 0) {
      if (++length > 30) failed_ = true;
    }
    return failed_ ? 0 : (1U << length | bits(length)) - 1;
  }
  bool failed() const noexcept { return failed_; }
  /// Whether all bytes were touched and the bits left in the last one are zero.
  bool endedClean() const noexcept {
    if ((at_ + 7) / 8 != bytes_.size()) return false;
    return at_ % 8 == 0 || std::to_integer<unsigned>(bytes_.back()) >> (at_ % 8) == 0;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace strata
