#include "core/text/utf8_check.h"

#include <array>
#include <cstdint>

namespace strata {

std::size_t utf8CharacterBytes(std::string_view text) noexcept {
  const auto byteAt = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t first = byteAt(0);
  if (first < 0x80) return 1;
  const std::size_t count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < count) return 0;
  std::uint32_t code = first & (0x7Fu >> count);
  for (std::size_t index = 1; index < count; ++index) {
    if ((byteAt(index) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byteAt(index) & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool isSurrogate = code >= 0xD800 && code < 0xE000;
  return code < kSmallest[count] || code > 0x10FFFF || isSurrogate ? 0 : count;
}

bool isUtf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t count = utf8CharacterBytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

}  // namespace strata
