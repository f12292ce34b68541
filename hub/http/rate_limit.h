#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>

#include "hub/http/http_clock.h"

namespace strata::hub {

/// Keeps the bytes of all transfers of a client together below a rate: who moves some waits until
/// they are due. libcurl's own limit lets megabytes through at once. Safe to use from several
/// threads.
class RateLimit {
 public:
  /// 0: no limit. `clock` must outlive this.
  RateLimit(std::uint64_t bytesPerSecond, HttpClock& clock);

  /// What a transfer may read at once, so that it need not wait for long; at most `usual`.
  long bufferBytes(long usual) const noexcept;
  /// Waits until `bytes` more are due, or the token is asked to stop.
  void pass(std::uint64_t bytes, const std::stop_token& stop);

 private:
  double bytesPerSecond_;
  HttpClock& clock_;
  std::mutex mutex_;  ///< guards dueMs_
  double dueMs_ = 0;  ///< when all that has passed was due
};

}  // namespace strata::hub
