#include "core/evaluate/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "core/config/secret_variables.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
constexpr std::size_t kMostErrorLines = 10;
constexpr std::size_t kMostErrorLineBytes = 500;
constexpr milliseconds kStopLatency{100};  // how often the stop token is looked at
constexpr milliseconds kGrace{500};        // between the end of its stdin and SIGKILL

tl::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::Evaluator, std::move(message));
}

/// Two ends of a pipe, closed where they are not taken.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  int take(int index) { return std::exchange(ends[index], -1); }
};

/// Writing to a program that has ended raises SIGPIPE, which would end us: it is held back and
/// taken away in this thread while one of these lives.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec now{};
    while (::sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

/// What a program that scores models gets of our environment: no secrets but those that the user
/// names.
std::vector<char*> environmentOfChild(const std::vector<std::string>& passed) {
  std::vector<char*> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool isPassed = std::find(passed.begin(), passed.end(), name) != passed.end();
    if (isPassed || !holdsSecret(text)) entries.push_back(*entry);
  }
  entries.push_back(nullptr);
  return entries;
}

/// Starts the program; the errno of what failed, or 0.
int spawn(const std::vector<std::string>& words, const std::vector<std::string>& passed,
          const Pipe& in, const Pipe& out, const Pipe& err, pid_t* process) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int failure = ::posix_spawnp(process, words.front().c_str(), &actions, &attributes,
                                     arguments.data(), environmentOfChild(passed).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/// How `process` ended, as soon as it has, without taking that away from waitpid(); si_pid is 0 if
/// it still runs after kGrace.
siginfo_t stateAfterGrace(pid_t process) noexcept {
  const auto until = Clock::now() + kGrace;
  while (true) {
    siginfo_t state{};
    ::waitid(P_PID, static_cast<id_t>(process), &state, WEXITED | WNOHANG | WNOWAIT);
    if (state.si_pid == process || Clock::now() >= until) return state;
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

struct ChildProcess::Deadline {
  explicit Deadline(milliseconds allowed)
      : limit(allowed),
        at(allowed.count() == 0 ? Clock::time_point::max() : Clock::now() + allowed) {}
  milliseconds limit;
  Clock::time_point at;
};

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const std::vector<std::string>& passedSecrets) {
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.open() || !out.open() || !err.open()) {
    return refused(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  pid_t process = -1;
  if (const int failure = spawn(words, passedSecrets, in, out, err, &process); failure != 0) {
    return refused(fmt::format("cannot run {}: {}", words.front(), std::strerror(failure)));
  }
  const Pipes pipes{in.take(1), out.take(0), err.take(0)};
  for (const int end : {pipes.in, pipes.out, pipes.err}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  return ChildProcess(process, pipes);
}

ChildProcess::ChildProcess(pid_t process, Pipes pipes) noexcept
    : process_(process), pipes_(pipes) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  end();
  process_ = std::exchange(other.process_, -1);
  pipes_ = std::exchange(other.pipes_, {});
  buffered_ = std::move(other.buffered_);
  errorPart_ = std::move(other.errorPart_);
  errorLines_ = std::move(other.errorLines_);
  return *this;
}

ChildProcess::~ChildProcess() { end(); }

void ChildProcess::end() noexcept {
  for (int* end : {&pipes_.in, &pipes_.out, &pipes_.err}) {
    if (*end >= 0) ::close(std::exchange(*end, -1));
  }
  if (process_ <= 0) return;
  // The end of its stdin asks it to go; what does not is killed, with all that it started. It is
  // not waited for before that, so the group's number cannot have passed to another one.
  stateAfterGrace(process_);
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

Result<void> ChildProcess::waitFor(short events, int descriptor, const Deadline& until,
                                   const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const auto now = Clock::now();
    if (now >= until.at) {
      const double seconds = std::chrono::duration<double>(until.limit).count();
      return refused(fmt::format("gave no answer within {} s", seconds));
    }
    const auto left = std::chrono::duration_cast<milliseconds>(until.at - now) + milliseconds(1);
    pollfd watched[2] = {{descriptor, events, 0}, {pipes_.err, POLLIN, 0}};
    const int ready = ::poll(watched, 2, static_cast<int>(std::min(left, kStopLatency).count()));
    if (ready < 0 && errno != EINTR) {
      return refused(fmt::format("cannot wait for it: {}", std::strerror(errno)));
    }
    if (ready <= 0) continue;
    if (watched[1].revents != 0) drainErrors();
    if (watched[0].revents != 0) return {};
  }
}

Result<void> ChildProcess::writeLine(std::string line, milliseconds limit,
                                     const std::stop_token& stop) {
  line += '\n';
  const WithoutPipeSignal guard;
  const Deadline until(limit);
  for (std::size_t written = 0; written < line.size();) {
    STRATA_TRY(waitFor(POLLOUT, pipes_.in, until, stop));
    const ssize_t count = ::write(pipes_.in, line.data() + written, line.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR && errno != EAGAIN) {
      return refused(howItEnded());
    }
  }
  return {};
}

Result<std::string> ChildProcess::readLine(milliseconds limit, const std::stop_token& stop) {
  const Deadline until(limit);
  std::size_t searched = 0;
  while (true) {
    const std::size_t lineEnd = buffered_.find('\n', searched);
    if (lineEnd != std::string::npos) {
      std::string line = buffered_.substr(0, lineEnd);
      buffered_.erase(0, lineEnd + 1);
      return line;
    }
    searched = buffered_.size();
    if (searched > kMostLineBytes) return refused("answered a line of more than 16 MB");
    STRATA_TRY(waitFor(POLLIN, pipes_.out, until, stop));
    char bytes[1 << 16];
    const ssize_t count = ::read(pipes_.out, bytes, sizeof(bytes));
    if (count == 0) return refused(howItEnded());
    if (count > 0) buffered_.append(bytes, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      return refused(fmt::format("cannot read its answer: {}", std::strerror(errno)));
    }
  }
}

std::vector<std::string> ChildProcess::lastErrorLines() {
  drainErrors();
  std::vector<std::string> lines(errorLines_.begin(), errorLines_.end());
  if (!errorPart_.empty()) lines.push_back(errorPart_);
  return lines;
}

void ChildProcess::drainErrors() {
  if (pipes_.err < 0) return;
  char bytes[4096];
  ssize_t count = 1;
  // Not all that comes: who never stops writing must not keep us from deadlines.
  for (int left = 16; left > 0 && count > 0; --left) {
    count = ::read(pipes_.err, bytes, sizeof(bytes));
    if (count <= 0) break;
    for (const char c : std::string_view(bytes, static_cast<std::size_t>(count))) {
      if (c != '\n') {
        if (errorPart_.size() < kMostErrorLineBytes) errorPart_ += c;
        continue;
      }
      if (!errorPart_.empty()) errorLines_.push_back(std::exchange(errorPart_, {}));
      if (errorLines_.size() > kMostErrorLines) errorLines_.pop_front();
    }
  }
  if (count == 0) ::close(std::exchange(pipes_.err, -1));
}

std::string ChildProcess::howItEnded() {
  // Its pipes are closed; it may take another moment to end.
  const siginfo_t state = stateAfterGrace(process_);
  if (state.si_pid != process_) return "closed its output without an answer";
  if (state.si_code == CLD_EXITED) {
    return fmt::format("ended with exit status {} without an answer", state.si_status);
  }
  return fmt::format("was ended by signal {} ({}) without an answer", state.si_status,
                     ::strsignal(state.si_status));
}

}  // namespace strata
