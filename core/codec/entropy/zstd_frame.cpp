#include "core/codec/entropy/zstd_frame.h"

#include <zstd.h>

#include <array>
#include <cstring>

namespace strata {

bool isOneZstdFrame(std::span<const std::byte> bytes) noexcept {
  constexpr std::array kMagic{std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F}, std::byte{0xFD}};
  if (bytes.size() < kMagic.size()) return false;
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return false;
  const std::size_t frame = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  return ZSTD_isError(frame) == 0 && frame == bytes.size();
}

}  // namespace strata
