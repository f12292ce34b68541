#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "core/result.h"

namespace strata {

/// The failure of the lowest item among those that several threads work on: the same one whoever
/// came first. Safe to use from all of them.
class FirstFailure {
 public:
  bool isAny() const noexcept { return isAtOrBelow(kNone - 1); }
  /// Whether this item failed, or one below.
  bool isAtOrBelow(std::size_t item) const noexcept {
    return item_.load(std::memory_order_relaxed) <= item;
  }

  void note(std::size_t item, Error error) {
    const std::lock_guard guard(mutex_);
    if (item >= item_) return;
    item_ = item;
    error_ = std::move(error);
  }

  /// To be called once, when the threads are done.
  Result<void> take() {
    if (error_) return fail(*std::move(error_));
    return {};
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::mutex mutex_;  // guards error_ and changes of item_
  std::atomic<std::size_t> item_ = kNone;
  std::optional<Error> error_;
};

}  // namespace strata
