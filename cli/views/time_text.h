#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"

namespace strata::cli {

/// Reads a moment as people write it: "2026-03-01", "2026-03-01 14:02", RFC 3339, or how long ago:
/// "14d", "12h", "30m". Dates without a zone are local. Seconds since 1970, UTC.
/// Fails with InvalidArgument.
Result<std::int64_t> parseMoment(std::string_view text, std::int64_t nowSeconds);

std::int64_t secondsNow() noexcept;

}  // namespace strata::cli
