#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// The parts of a URL that decide who gets it.
struct Origin {
  std::string scheme;  ///< lower case
  std::string host;    ///< lower case; of IPv6 with brackets
  std::string port;    ///< never empty

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// Fails with InvalidArgument for what is no http or https URL or holds a user name or password.
Result<Origin> originOf(std::string_view url);

/// A `Location` as a whole URL, relative to the URL that gave it. Fails with CorruptData.
Result<std::string> resolveUrl(const std::string& base, const std::string& location);

/// Percent-encodes all but A-Z a-z 0-9 - _ . ~ ; upper-case digits.
std::string encodeSegment(std::string_view text);
/// The same, but slashes stay.
std::string encodePath(std::string_view path);

/// Whether an address, "127.0.0.1" or "fe80::1", is of this machine or of a private network.
bool isPrivateAddress(std::string_view address) noexcept;
/// Whether a host is such an address, or "localhost". Names are not looked up.
bool isPrivateHost(std::string_view host) noexcept;
/// Whether a host is this machine: "localhost", 127.0.0.0/8, ::1.
bool isLoopbackHost(std::string_view host) noexcept;

}  // namespace strata::hub
