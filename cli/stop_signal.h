#pragma once

#include <stop_token>
#include <thread>

namespace strata::cli {

/// While it lives, Ctrl-C and SIGTERM ask a long job to stop instead of ending the program; a
/// second one ends it at once. One at a time in a program.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const noexcept { return source_.get_token(); }
  /// SIGINT or SIGTERM once one came, else 0.
  static int received() noexcept;

 private:
  void wait();

  std::stop_source source_;
  int pipe_[2] = {-1, -1};
  std::jthread waiter_;
};

}  // namespace strata::cli
