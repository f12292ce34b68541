#pragma once

#include <string_view>

namespace strata {

/// Whether `left` comes before `right` where people count: numbers in them by their value, so that
/// "checkpoint-500" comes before "checkpoint-1000"; all else by its bytes.
bool comesBefore(std::string_view left, std::string_view right) noexcept;

}  // namespace strata
