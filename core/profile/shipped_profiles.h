#pragma once

#include <span>
#include <string_view>

namespace strata {

/// A profile that comes with the program.
struct ShippedProfile {
  std::string_view name;
  std::string_view text;  ///< TOML
};

std::span<const ShippedProfile> shippedProfiles() noexcept;

}  // namespace strata
