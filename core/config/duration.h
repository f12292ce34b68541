#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Reads a time as people write it: "90", "90s", "5m", "1h30m"; without a unit it is seconds.
/// Fails with InvalidArgument.
Result<std::chrono::seconds> parseDuration(std::string_view text);

/// The shortest text that parseDuration() reads back: "90s", "5m".
std::string durationText(std::chrono::seconds duration);

}  // namespace strata
