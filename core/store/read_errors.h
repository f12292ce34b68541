#pragma once

#include "core/result.h"

namespace strata {

/// What it means that a ref or object cannot be read. Other errors are of the disk or the catalog.

/// It is damaged or gone: nothing is lost if it is written anew.
constexpr bool isLost(ErrorCode code) noexcept {
  return code == ErrorCode::CorruptData || code == ErrorCode::NotFound;
}

/// It is of no use here, and the disk is not to blame: lost, of a newer program, or beyond what is
/// read. Others are looked at all the same.
constexpr bool isUnusable(ErrorCode code) noexcept {
  return isLost(code) || code == ErrorCode::FormatTooNew || code == ErrorCode::LimitExceeded;
}

}  // namespace strata
