#include "hub/serve/read_ahead.h"

namespace strata::hub {

ReadAhead::ReadAhead(std::size_t threadCount) {
  for (std::size_t i = 0; i < threadCount; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

void ReadAhead::offer(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (work_.size() >= 2 * threads_.size()) return;
    work_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void ReadAhead::run(const std::stop_token& stop) {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !work_.empty(); })) return;
      work = std::move(work_.front());
      work_.pop_front();
    }
    work();
  }
}

}  // namespace strata::hub
