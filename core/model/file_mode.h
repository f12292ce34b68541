#pragma once

#include <cstdint>

namespace strata {

/// What a new file is made with; the umask takes its share of it.
inline constexpr std::uint32_t kNewFileMode = 0666;
inline constexpr std::uint32_t kPermissionBits = 0777;
inline constexpr std::uint32_t kOwnerBits = 0700;

/// The permission bits that a version keeps of a file, from all bits of its mode. 0 for rw-r--r--,
/// rw-rw-r-- and rw-rw-rw-: which of these a new file gets is the umask's affair.
constexpr std::uint32_t keptMode(std::uint32_t mode) noexcept {
  const std::uint32_t bits = mode & kPermissionBits;
  const bool isUsual = bits == 0644 || bits == 0664 || bits == 0666;
  return isUsual ? 0 : bits;
}

/// What to make a restored file with, from what keptMode() gave.
constexpr std::uint32_t modeToRestore(std::uint32_t kept) noexcept {
  return kept == 0 ? kNewFileMode : kept & kPermissionBits;
}

}  // namespace strata
