#include "hub/serve/connection_threads.h"

#include <chrono>

namespace strata::hub {

ConnectionThreads::ConnectionThreads(std::size_t most, const std::atomic<bool>& isStopping)
    : most_(most), isStopping_(isStopping) {}

void ConnectionThreads::enqueue(std::function<void()> connection) {
  std::unique_lock lock(mutex_);
  while (waiting_.size() >= most_ && !isStopping_) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  waiting_.push_back(std::move(connection));
  ++waitingCount_;
  if (idleCount_ < waiting_.size() && threads_.size() < most_) {
    threads_.emplace_back([this] { work(); });
  }
  lock.unlock();
  changed_.notify_all();
}

void ConnectionThreads::work() {
  for (;;) {
    std::function<void()> connection;
    {
      std::unique_lock lock(mutex_);
      ++idleCount_;
      changed_.wait(lock, [this] { return !waiting_.empty() || isShutDown_; });
      --idleCount_;
      if (waiting_.empty()) return;
      connection = std::move(waiting_.front());
      waiting_.pop_front();
      --waitingCount_;
    }
    changed_.notify_all();
    connection();
  }
}

void ConnectionThreads::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    isShutDown_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace strata::hub
