#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hub/serve/waiting_room.h"

namespace strata::hub {

/// Threads for connections whose request is there: started as they are needed, up to a number.
/// Further connections wait. One address gets at most three quarters of the threads, so that a
/// client with many slow requests leaves some to others.
class ConnectionThreads {
 public:
  /// `serve` is called on a thread of these and closes the connection or passes it on.
  ConnectionThreads(std::size_t most, std::function<void(Connection)> serve);
  ~ConnectionThreads();
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  void enqueue(Connection connection);
  /// Whether a connection waits for a thread: a good time to end a slow one.
  bool isShort() const noexcept { return waitingCount_.load() > 0; }
  /// Whether so many wait that no more should be accepted.
  bool isFull() const noexcept { return waitingCount_.load() >= kMostWaiting; }
  /// Ends the threads when all that wait were served.
  void shutdown();

 private:
  static constexpr std::size_t kMostWaiting = 256;

  void work();
  std::deque<Connection>::iterator next();

  const std::size_t most_;
  const std::function<void(Connection)> serve_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Connection> waiting_;
  std::map<std::string, std::size_t> servedByAddress_;
  std::vector<std::thread> threads_;
  std::size_t idleCount_ = 0;
  bool isShutDown_ = false;
  std::atomic<std::size_t> waitingCount_{0};
};

}  // namespace strata::hub
