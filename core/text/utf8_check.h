#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none: no overlong
/// forms, no surrogates, nothing past U+10FFFF. `text` is not empty.
std::size_t utf8CharacterBytes(std::string_view text) noexcept;

/// Whether `text` is well-formed UTF-8.
bool isUtf8(std::string_view text) noexcept;

}  // namespace strata
