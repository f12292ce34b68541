#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace strata::hub {

/// A few threads that restore what a client will want next while the last bytes are on their way.
/// Work that finds no room is dropped: the client's own thread does it later.
class ReadAhead {
 public:
  explicit ReadAhead(std::size_t threadCount);

  /// Takes `work` unless enough waits already. Safe to call from any thread.
  void offer(std::function<void()> work);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;  // guards work_
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> work_;
  std::vector<std::jthread> threads_;  // last: they end before the rest
};

}  // namespace strata::hub
