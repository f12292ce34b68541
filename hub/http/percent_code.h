#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strata::hub {

/// The bytes that a percent-encoded text stands for. Nothing where a '%' is not followed by two
/// hexadecimal digits, or stands for NUL.
std::optional<std::string> decodePercent(std::string_view text);

}  // namespace strata::hub
