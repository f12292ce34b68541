#include "hub/credentials/credential_helper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace strata::hub {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

/// Starts `words` with one end of a socket as stdin and stdout. The process's id, or -1 with errno.
pid_t spawn(const std::vector<std::string>& words, int end) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  pid_t process = -1;
  const int reason =
      ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  errno = reason;
  return reason == 0 ? process : -1;
}

/// What comes until the other side closes; nothing if it takes too long or sends too much.
bool readAll(int descriptor, std::chrono::steady_clock::time_point deadline, std::string& out) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait{descriptor, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0) return false;
    char buffer[4096];
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) out.append(buffer, static_cast<std::size_t>(got));
    if (out.size() > kMostBytes) return false;
  }
}

}  // namespace

Result<std::string> runCredentialHelper(const std::vector<std::string>& words,
                                        const std::string& input, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(ErrorCode::Io, fmt::format("{}: {}", words.front(), std::strerror(errno)));
  }
  const pid_t process = spawn(words, ends[1]);
  const int reason = errno;
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    return fail(ErrorCode::NotFound, fmt::format("{}: {}", words.front(), std::strerror(reason)));
  }
  // A few dozen bytes: they fit into the socket's buffer.
  const bool isSent = ::send(ends[0], input.data(), input.size(), MSG_NOSIGNAL) ==
                      static_cast<ssize_t>(input.size());
  ::shutdown(ends[0], SHUT_WR);
  std::string output;
  const bool isRead = isSent && readAll(ends[0], deadline, output);
  ::close(ends[0]);
  if (!isRead) ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (isRead && WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return fail(ErrorCode::Unsupported, fmt::format("{} gave no credential", words.front()));
}

}  // namespace strata::hub
