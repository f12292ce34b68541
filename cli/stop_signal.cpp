#include "cli/stop_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace strata::cli {
namespace {

// A signal handler has no argument to carry these.
std::atomic<int> gReceived{0};
std::atomic<int> gPipe{-1};

extern "C" void onStopSignal(int number) {
  const int before = errno;
  gReceived.store(number);
  const int pipe = gPipe.load();
  const char byte = 's';
  if (pipe >= 0 && ::write(pipe, &byte, 1) < 0) ::_exit(128 + number);
  errno = before;
}

void install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
  gPipe.store(pipe_[1]);
  // The first signal takes the handler away: the second one ends the program.
  install(onStopSignal, static_cast<int>(SA_RESTART | SA_RESETHAND));
  waiter_ = std::jthread([this] { wait(); });
}

StopSignal::~StopSignal() {
  if (pipe_[0] < 0) return;
  install(SIG_DFL, 0);
  gPipe.store(-1);
  ::close(pipe_[1]);  // ends the waiter's read
  waiter_.join();
  ::close(pipe_[0]);
}

int StopSignal::received() noexcept { return gReceived.load(); }

void StopSignal::wait() {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(pipe_[0], &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count > 0) source_.request_stop();
}

}  // namespace strata::cli
