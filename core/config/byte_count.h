#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"

namespace strata {

/// Reads an amount of bytes as people write it: "512MB", "1.5 GB", "2GiB", "4096". MB is 10^6
/// bytes, MiB is 2^20; case and one space do not matter. Fails with InvalidArgument.
Result<std::uint64_t> parseByteCount(std::string_view text);

}  // namespace strata
