#include "hub/http/rate_limit.h"

#include <algorithm>

namespace strata::hub {

RateLimit::RateLimit(std::uint64_t bytesPerSecond, HttpClock& clock)
    : bytesPerSecond_(static_cast<double>(bytesPerSecond)), clock_(clock) {}

long RateLimit::bufferBytes(long usual) const noexcept {
  constexpr double kLeast = 16 << 10;
  constexpr double kSeconds = 0.125;
  if (bytesPerSecond_ == 0) return usual;
  return std::min(usual, static_cast<long>(std::max(kLeast, bytesPerSecond_ * kSeconds)));
}

void RateLimit::pass(std::uint64_t bytes, const std::stop_token& stop) {
  if (bytesPerSecond_ == 0) return;
  double waitMs = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = static_cast<double>(clock_.now().count());
    dueMs_ = std::max(dueMs_, now) + 1000 * static_cast<double>(bytes) / bytesPerSecond_;
    waitMs = dueMs_ - now;
  }
  if (waitMs >= 1) clock_.sleep(HttpClock::Milliseconds(static_cast<std::int64_t>(waitMs)), stop);
}

}  // namespace strata::hub
