#pragma once

#include <chrono>
#include <stop_token>

namespace strata::hub {

/// Time as transfers see it, so that tests need not wait. Safe to use from several threads.
class HttpClock {
 public:
  using Milliseconds = std::chrono::milliseconds;
  virtual ~HttpClock() = default;
  /// Since some fixed point; never goes back.
  virtual Milliseconds now() = 0;
  /// Returns early when the token is asked to stop.
  virtual void sleep(Milliseconds duration, const std::stop_token& stop) = 0;
};

/// The machine's own.
HttpClock& systemClock();

}  // namespace strata::hub
