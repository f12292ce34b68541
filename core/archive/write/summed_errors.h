#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace strata {

/// In the metadata of a lossy version that was quantized from what another lossy one restores to:
/// its errors, those of tensors too, are sums. One part is the error that was recorded of the other
/// version. The other is what was lost this time. The original is not there to measure against.
inline constexpr std::string_view kErrorsKey = "strata.errors";
inline constexpr std::string_view kSummedErrors = "summed";

/// Whether a version's metadata say that.
inline bool hasSummedErrors(std::span<const std::pair<std::string, std::string>> metadata) {
  return std::ranges::any_of(metadata, [](const auto& entry) {
    return entry.first == kErrorsKey && entry.second == kSummedErrors;
  });
}

}  // namespace strata
