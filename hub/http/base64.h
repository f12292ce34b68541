#pragma once

#include <string>
#include <string_view>

namespace strata::hub {

/// RFC 4648, with padding.
std::string encodeBase64(std::string_view bytes);

}  // namespace strata::hub
