#pragma once

#include <system_error>

namespace strata {

/// Whether a call of std::filesystem failed for this reason. Numbers are compared. `status ==
/// reason` compares addresses of libstdc++, too, and a process may have a second one: PyPI's torch
/// brings a library that answers for libstdc++'s own.
inline bool failedAs(const std::error_code& status, std::errc reason) noexcept {
  return status.value() == static_cast<int>(reason);
}

}  // namespace strata
