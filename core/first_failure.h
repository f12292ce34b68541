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
  bool isAny() const noexcept { return isAny_.load(std::memory_order_relaxed); }

  void note(std::size_t item, Error error) {
    const std::lock_guard guard(mutex_);
    isAny_ = true;
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
  std::atomic<bool> isAny_ = false;
  std::mutex mutex_;  // guards item_ and error_
  std::size_t item_ = std::numeric_limits<std::size_t>::max();
  std::optional<Error> error_;
};

}  // namespace strata
