#pragma once

#include <mutex>
#include <vector>

#include "hub/http/http_clock.h"

namespace strata::test {

/// Time that passes only when it is asked for: `step` with each look, and all of a sleep at once.
class FakeClock final : public hub::HttpClock {
 public:
  explicit FakeClock(Milliseconds step = Milliseconds(0)) : step_(step) {}

  Milliseconds now() override {
    const std::scoped_lock lock(mutex_);
    return now_ += step_;
  }
  void sleep(Milliseconds duration, const std::stop_token&) override {
    const std::scoped_lock lock(mutex_);
    now_ += duration;
    sleeps_.push_back(duration);
  }
  std::vector<Milliseconds> sleeps() const {
    const std::scoped_lock lock(mutex_);
    return sleeps_;
  }

 private:
  mutable std::mutex mutex_;  // guards now_ and sleeps_
  Milliseconds step_;
  Milliseconds now_{0};
  std::vector<Milliseconds> sleeps_;
};

}  // namespace strata::test
