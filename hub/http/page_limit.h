#pragma once

#include <cstddef>
#include <cstdint>

namespace strata::hub {

/// Ends a list that a server gives page by page before it fills the memory: pages are counted, and
/// their bytes, since one page may be as long as many.
class PageLimit {
 public:
  constexpr PageLimit(unsigned pages, std::uint64_t bytes) noexcept
      : pagesLeft_(pages), bytesLeft_(bytes) {}

  /// Counts a page; false if it is one too many.
  constexpr bool take(std::size_t byteCount) noexcept {
    if (pagesLeft_ == 0 || byteCount > bytesLeft_) return false;
    --pagesLeft_;
    bytesLeft_ -= byteCount;
    return true;
  }

 private:
  unsigned pagesLeft_;
  std::uint64_t bytesLeft_;
};

}  // namespace strata::hub
