#include "hub/serve/decode_threads.h"

#include <future>

namespace strata::hub {

DecodeThreads::DecodeThreads(std::size_t threadCount) {
  for (std::size_t i = 0; i < threadCount; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }
}

DecodeThreads::~DecodeThreads() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void DecodeThreads::run(const std::function<void()>& work) {
  std::promise<void> ended;
  {
    const std::lock_guard lock(mutex_);
    wanted_.emplace_back([&] {
      work();
      ended.set_value();
    });
  }
  changed_.notify_one();
  ended.get_future().wait();
}

void DecodeThreads::offer(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (offered_.size() >= 2 * threads_.size()) return;
    offered_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void DecodeThreads::serve(const std::stop_token& stop) {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      const auto isBusy = [this] { return !wanted_.empty() || !offered_.empty(); };
      if (!changed_.wait(lock, stop, isBusy)) return;
      auto& queue = wanted_.empty() ? offered_ : wanted_;
      work = std::move(queue.front());
      queue.pop_front();
    }
    work();
  }
}

}  // namespace strata::hub
