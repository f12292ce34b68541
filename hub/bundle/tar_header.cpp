#include "hub/bundle/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace strata::hub {
namespace {

constexpr std::size_t kNameBytes = 100;
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kSizeBytes = 12;
constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kTypeAt = 156;
constexpr std::size_t kMagicAt = 257;

/// Sum of all bytes, those of the checksum taken as blanks.
std::uint32_t checksumOf(std::span<const std::byte, kTarBlockBytes> block) noexcept {
  std::uint32_t sum = ' ' * kChecksumBytes;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i < kChecksumAt || i >= kChecksumAt + kChecksumBytes) {
      sum += std::to_integer<std::uint32_t>(block[i]);
    }
  }
  return sum;
}

/// Octal digits; nothing if there are none.
std::optional<std::uint64_t> octal(std::span<const std::byte> field) noexcept {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (const std::byte byte : field) {
    const auto letter = static_cast<char>(byte);
    if (letter < '0' || letter > '7') break;
    value = value * 8 + static_cast<std::uint64_t>(letter - '0');
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return value;
}

}  // namespace

std::array<std::byte, kTarBlockBytes> writeTarHeader(const TarEntry& entry) {
  std::array<std::byte, kTarBlockBytes> block{};
  const auto put = [&](std::size_t at, const std::string& text) {
    std::memcpy(block.data() + at, text.data(), text.size());
  };
  put(0, entry.name.substr(0, kNameBytes));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(kSizeAt, fmt::format("{:011o}", entry.byteCount));
  put(136, "00000000000");
  put(kTypeAt, "0");
  put(kMagicAt, std::string("ustar\00000", 8));
  put(kChecksumAt, fmt::format("{:06o}", checksumOf(block)) + std::string("\0 ", 2));
  return block;
}

std::optional<TarEntry> readTarHeader(std::span<const std::byte, kTarBlockBytes> block) {
  const auto checksum = octal(block.subspan(kChecksumAt, kChecksumBytes));
  const auto byteCount = octal(block.subspan(kSizeAt, kSizeBytes));
  const auto type = static_cast<char>(block[kTypeAt]);
  if (!checksum || *checksum != checksumOf(block) || !byteCount || (type != '0' && type != 0)) {
    return std::nullopt;
  }
  const auto* const name = reinterpret_cast<const char*>(block.data());
  return TarEntry{std::string(name, ::strnlen(name, kNameBytes)), *byteCount};
}

bool isTarEnd(std::span<const std::byte, kTarBlockBytes> block) noexcept {
  return std::all_of(block.begin(), block.end(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

}  // namespace strata::hub
