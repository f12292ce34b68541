#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// SHA-256 of some content: what names an object or a model.
struct Digest {
  std::array<std::byte, 32> bytes{};

  friend auto operator<=>(const Digest&, const Digest&) = default;  // NOLINT: takes it for a 0
};

/// 64 lower-case hexadecimal characters.
std::string toHex(const Digest& digest);
/// The first eight of them, for people.
std::string shortHex(const Digest& digest);
/// Nothing unless `hex` is 64 hexadecimal characters.
std::optional<Digest> digestFromHex(std::string_view hex);
/// Nothing unless `bytes` are 32.
std::optional<Digest> digestFromBytes(std::string_view bytes);
/// The raw 32 bytes.
std::string toBytes(const Digest& digest);

/// SHA-256 (FIPS 180-4) of bytes that come in pieces. Not for sharing between threads.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  /// Ends the computation; the object starts anew.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::span<const std::byte> bytes);

/// XXH3, 64 bits, of bytes that come in pieces. Not for sharing between threads.
class Xxh3 {
 public:
  Xxh3();
  ~Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;

  void update(std::span<const std::byte> bytes);
  /// Ends the computation; the object starts anew.
  std::uint64_t finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// XXH3, 64 bits: finds damage in one tensor.
std::uint64_t xxh3(std::span<const std::byte> bytes) noexcept;
/// The low 32 bits of XXH3: finds damage in one block.
std::uint32_t blockChecksum(std::span<const std::byte> bytes) noexcept;

}  // namespace strata

template <>
struct std::hash<strata::Digest> {
  std::size_t operator()(const strata::Digest& digest) const noexcept;
};
