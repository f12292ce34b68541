#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace strata::hub {

/// Threads for connections: started as they are needed, up to a number; further connections wait,
/// a few here, the rest with the operating system, so that memory does not grow with clients.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  ConnectionThreads(std::size_t most, const std::atomic<bool>& isStopping);

  void enqueue(std::function<void()> connection) override;
  void shutdown() override;
  /// Whether a connection waits for a thread: a good time to end an idle one.
  bool isShort() const noexcept { return waitingCount_.load() > 0; }

 private:
  void work();

  const std::size_t most_;
  const std::atomic<bool>& isStopping_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idleCount_ = 0;
  bool isShutDown_ = false;
  std::atomic<std::size_t> waitingCount_{0};
};

}  // namespace strata::hub
