#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

/// How much work `add` spends on size. One decoder reads all of them.
enum class Effort : std::uint8_t {
  Fast,     ///< takes the usual settings without a search
  Default,  ///< full choice of contexts and codecs
  Best,     ///< low-rank prediction and exhaustive choice as well
};

std::string_view name(Effort effort) noexcept;  ///< "fast", "default", "best"
std::optional<Effort> effortFromName(std::string_view name) noexcept;

}  // namespace strata
