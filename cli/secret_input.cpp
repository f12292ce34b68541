#include "cli/secret_input.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/io/core_dumps.h"

namespace strata::cli {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

/// One line of a descriptor, without its end; what follows stays unread.
std::string readLine(int descriptor) {
  forbidCoreDumps();
  std::string line;
  char c = 0;
  while (line.size() < kMostBytes) {
    const ssize_t got = ::read(descriptor, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == '\n') break;
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// The terminal; while it lives typed characters are not shown, if so wished.
class ControllingTerminal {
 public:
  explicit ControllingTerminal(bool isHidden)
      : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC)) {
    isHidden_ = isHidden && descriptor_ >= 0 && ::tcgetattr(descriptor_, &before_) == 0;
    if (!isHidden_) return;
    termios hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    hidden.c_lflag |= ECHONL;
    ::tcsetattr(descriptor_, TCSAFLUSH, &hidden);
  }
  ~ControllingTerminal() {
    if (isHidden_) ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ControllingTerminal(const ControllingTerminal&) = delete;
  ControllingTerminal& operator=(const ControllingTerminal&) = delete;

  bool isThere() const noexcept { return descriptor_ >= 0; }

  std::string ask(const std::string& prompt) const {
    const ssize_t written = ::write(descriptor_, prompt.data(), prompt.size());
    return written < 0 ? std::string() : readLine(descriptor_);
  }

 private:
  int descriptor_;
  bool isHidden_ = false;
  termios before_{};
};

Attempt<std::string> ask(const std::string& prompt, bool isHidden) {
  const ControllingTerminal terminal(isHidden);
  if (terminal.isThere()) return terminal.ask(prompt);
  return usage("nobody can be asked for the token here; give it on stdin with --token-stdin");
}

}  // namespace

Attempt<std::string> askSecret(const std::string& prompt) { return ask(prompt, true); }
Attempt<std::string> askLine(const std::string& prompt) { return ask(prompt, false); }

Attempt<std::string> readSecretLine() {
  std::string line = readLine(STDIN_FILENO);
  if (line.empty()) return usage("--token-stdin: nothing came on stdin");
  return line;
}

}  // namespace strata::cli
