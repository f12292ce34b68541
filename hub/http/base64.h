#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strata::hub {

/// RFC 4648, with padding.
std::string encodeBase64(std::string_view bytes);
/// Nothing for an empty text and for one that is none; line breaks are not taken.
std::optional<std::string> decodeBase64(std::string_view text);

}  // namespace strata::hub
