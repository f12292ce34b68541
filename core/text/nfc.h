#pragma once

#include <string>
#include <string_view>

namespace strata {

/// `text`, well-formed UTF-8, with one character where Unicode's form NFC has one for a letter and
/// the mark behind it: what looks the same is then the same name. Marks are not brought into an
/// order. Pairs beyond the first plane stay pairs.
std::string composedText(std::string_view text);

/// Whether the text has characters that NFC never has, such as the sign for angstrom.
bool hasForeignToNfc(std::string_view text) noexcept;

}  // namespace strata
