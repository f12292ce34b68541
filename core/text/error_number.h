#pragma once

#include <string_view>

#include "core/result.h"

namespace strata {

/// The stable number of a failure, "STRATA-E501": the exit code of the command line, then two
/// digits.
std::string_view errorNumber(ErrorCode code) noexcept;

/// 501 of "STRATA-E501": for protocols whose errors have a number.
int errorDigits(ErrorCode code) noexcept;

}  // namespace strata
