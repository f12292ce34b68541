#include "core/text/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text/utf8_check.h"

namespace strata {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Characters that take no room, or turn the order of those beside them, or break lines; ascending.
/// Not the selectors of variants (U+FE00 to U+FE0F), which common symbols are written with.
constexpr std::array kUnseen{
    Range{0x00AD, 0x00AD},    // soft hyphen
    Range{0x034F, 0x034F},    // grapheme joiner
    Range{0x061C, 0x061C},    // direction of Arabic
    Range{0x115F, 0x1160},    // fillers of Hangul
    Range{0x17B4, 0x17B5},    // unwritten vowels of Khmer
    Range{0x180B, 0x180F},    // selectors of Mongolian
    Range{0x200B, 0x200F},    // no width; directions
    Range{0x2028, 0x202E},    // ends of lines and paragraphs; directions
    Range{0x2060, 0x206F},    // joiners, unwritten operators, directions
    Range{0x3164, 0x3164},    // filler of Hangul
    Range{0xFEFF, 0xFEFF},    // byte order mark
    Range{0xFFA0, 0xFFA0},    // filler of Hangul
    Range{0xFFF0, 0xFFFB},    // annotations
    Range{0xFFFE, 0xFFFF},    // no characters
    Range{0x1BCA0, 0x1BCA3},  // of shorthand
    Range{0x1D173, 0x1D17A},  // of music
    Range{0xE0000, 0xE0FFF},  // tags, further selectors
};

bool isUnseen(std::uint32_t code) noexcept {
  return std::any_of(kUnseen.begin(), kUnseen.end(),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

/// Of the character that is all of `bytes`, well-formed.
std::uint32_t codeOf(std::string_view bytes) noexcept {
  const auto byteAt = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (bytes.size() == 1) return byteAt(0);
  std::uint32_t code = byteAt(0) & (0x7Fu >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) code = code << 6 | (byteAt(i) & 0x3Fu);
  return code;
}

bool isControl(std::uint32_t code) noexcept { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t count = utf8CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(count, 1));
    const std::uint32_t code = count == 0 ? 0 : codeOf(character);
    const bool isKept = lines == Lines::Kept && (code == '\n' || code == '\t');
    if (isControl(code) && !isKept) {
      shown += '?';
    } else if (isUnseen(code)) {
      shown += fmt::format("<U+{:04X}>", code);
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace strata
