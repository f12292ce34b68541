#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace strata::hub {

inline constexpr std::size_t kTarBlockBytes = 512;

/// What we use of a tar header (POSIX.1-1988 ustar): a regular file.
struct TarEntry {
  std::string name;  ///< at most 100 characters
  std::uint64_t byteCount = 0;
};

std::array<std::byte, kTarBlockBytes> writeTarHeader(const TarEntry& entry);

/// Nothing if the block is no header of a regular file or its checksum is wrong.
std::optional<TarEntry> readTarHeader(std::span<const std::byte, kTarBlockBytes> block);

/// Whether a block is all zeros, as at the end of an archive.
bool isTarEnd(std::span<const std::byte, kTarBlockBytes> block) noexcept;

}  // namespace strata::hub
