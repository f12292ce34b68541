#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// A program that runs beside this one and exchanges lines with it. It leads a process group of its
/// own, so that Ctrl-C in a terminal reaches only us; it and what it started are ended with this
/// object. One thread at a time.
class ChildProcess {
 public:
  /// Runs `words`, the first of which is looked up in PATH. It gets our environment without the
  /// variables that hold secrets (core/config/secret_variables.h), but for those in
  /// `passedSecrets`. Fails with Evaluator, naming it.
  static Result<ChildProcess> start(const std::vector<std::string>& words,
                                    const std::vector<std::string>& passedSecrets);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  /// Writes a line to its stdin. Fails with Evaluator if it does not read any more.
  Result<void> writeLine(std::string line, std::chrono::milliseconds limit,
                         const std::stop_token& stop);

  /// The next line of its stdout. Fails with Evaluator if there is none within `limit` (0: no
  /// limit), if it ends or the line gets longer than 16 MB; Cancelled.
  Result<std::string> readLine(std::chrono::milliseconds limit, const std::stop_token& stop);

  /// The last lines, at most 10, that it wrote to stderr.
  std::vector<std::string> lastErrorLines();

 private:
  struct Pipes {
    int in = -1;   // its stdin
    int out = -1;  // its stdout
    int err = -1;  // its stderr
  };
  ChildProcess(pid_t process, Pipes pipes) noexcept;
  void end() noexcept;
  struct Deadline;
  /// Until `descriptor` is ready; takes what comes on stderr meanwhile.
  Result<void> waitFor(short events, int descriptor, const Deadline& until,
                       const std::stop_token& stop);
  void drainErrors();
  std::string howItEnded();

  pid_t process_ = -1;
  Pipes pipes_;
  std::string buffered_;   // of stdout, beyond the lines handed out
  std::string errorPart_;  // of stderr, after its last line end
  std::deque<std::string> errorLines_;
};

}  // namespace strata
