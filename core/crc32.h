#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata {

/// CRC-32 of bytes (ISO 3309), as zip archives have it. `before` is that of what stands in front of
/// them, so that bytes may come in pieces.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;

}  // namespace strata
