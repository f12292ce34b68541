#pragma once

#include <string>
#include <string_view>

namespace strata::hub {

/// The name that git gives to a file's bytes: SHA-1 of "blob LENGTH NUL bytes", 40 digits.
std::string gitBlobOid(std::string_view bytes);

}  // namespace strata::hub
