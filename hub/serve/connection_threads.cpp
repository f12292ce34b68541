#include "hub/serve/connection_threads.h"

#include <algorithm>

namespace strata::hub {

ConnectionThreads::ConnectionThreads(std::size_t most, std::function<void(Connection)> serve)
    : most_(most), serve_(std::move(serve)) {}

ConnectionThreads::~ConnectionThreads() { shutdown(); }

void ConnectionThreads::enqueue(Connection connection) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(connection));
    ++waitingCount_;
    if (idleCount_ < waiting_.size() && threads_.size() < most_) {
      threads_.emplace_back([this] { work(); });
    }
  }
  changed_.notify_all();
}

std::deque<Connection>::iterator ConnectionThreads::next() {
  const std::size_t mostOfOne = std::max<std::size_t>(1, most_ - most_ / 4);
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Connection& one) {
    const auto served = servedByAddress_.find(one.address);
    return isShutDown_ || served == servedByAddress_.end() || served->second < mostOfOne;
  });
}

void ConnectionThreads::work() {
  for (;;) {
    Connection connection;
    std::string address;
    {
      std::unique_lock lock(mutex_);
      ++idleCount_;
      changed_.wait(lock, [this] { return next() != waiting_.end() || isShutDown_; });
      --idleCount_;
      const auto chosen = next();
      if (chosen == waiting_.end()) return;
      connection = std::move(*chosen);
      waiting_.erase(chosen);
      --waitingCount_;
      address = connection.address;
      ++servedByAddress_[address];
    }
    serve_(std::move(connection));
    {
      const std::lock_guard lock(mutex_);
      if (--servedByAddress_[address] == 0) servedByAddress_.erase(address);
    }
    changed_.notify_all();
  }
}

void ConnectionThreads::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    isShutDown_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace strata::hub
