#include "hub/http/http_clock.h"

#include <condition_variable>
#include <mutex>

namespace strata::hub {
namespace {

class SystemClock final : public HttpClock {
 public:
  Milliseconds now() override {
    return std::chrono::duration_cast<Milliseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  }
  void sleep(Milliseconds duration, const std::stop_token& stop) override {
    std::mutex mutex;  // guards nothing; the wait needs one
    std::unique_lock lock(mutex);
    std::condition_variable_any condition;
    condition.wait_for(lock, stop, duration, [] { return false; });
  }
};

}  // namespace

HttpClock& systemClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace strata::hub
