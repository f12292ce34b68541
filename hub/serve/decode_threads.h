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

/// The threads that restore what clients want, few however many clients there are: a thread that
/// has decoded keeps memory for it. Clients wait for what they send next; what they will want later
/// is decoded while the last bytes are on their way. Safe to use from any thread but its own.
class DecodeThreads {
 public:
  explicit DecodeThreads(std::size_t threadCount);
  ~DecodeThreads();
  DecodeThreads(const DecodeThreads&) = delete;
  DecodeThreads& operator=(const DecodeThreads&) = delete;

  /// Runs `work` before all that was only offered, and waits for its end.
  void run(const std::function<void()>& work);
  /// Takes `work` for later, unless enough waits already: then it is dropped.
  void offer(std::function<void()> work);

 private:
  void serve(const std::stop_token& stop);

  std::mutex mutex_;  // guards the two below
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> wanted_;
  std::deque<std::function<void()>> offered_;
  std::vector<std::jthread> threads_;
};

}  // namespace strata::hub
