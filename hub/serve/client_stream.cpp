#include "hub/serve/client_stream.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace strata::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kBodyLimit{30};
constexpr milliseconds kStallWhenShort{500};
constexpr seconds kWriteStall{30};
/// A client that takes less than this over a minute only keeps a thread busy.
constexpr std::uint64_t kLeastBytesPerSecond = 1024;
constexpr seconds kLeastRateAfter{60};
/// How often waiting looks whether the server stops.
constexpr milliseconds kSlice{100};

void nameOf(int socket, decltype(::getpeername) ask, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (ask(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(),
                    service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host.data();
  port = std::atoi(service.data());
}

}  // namespace

ClientStream::ClientStream(int socket, const std::atomic<bool>& isStopping,
                           std::function<bool()> isWanted)
    : socket_(socket), isStopping_(isStopping), isWanted_(std::move(isWanted)) {}

bool ClientStream::waitUntil(short events, Clock::time_point deadline) const {
  while (!isStopping_) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds{0}) return false;
    pollfd wait{socket_, events, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min(left, kSlice).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool ClientStream::waitForBytes() const {
  const Clock::time_point stalled = Clock::now() + kStallWhenShort;
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (waitUntil(POLLIN, std::min(readDeadline_, now + kSlice))) return true;
    if (isStopping_ || now >= readDeadline_ || (now >= stalled && isWanted_())) return false;
  }
}

void ClientStream::beginHead() {
  isHead_ = true;
  rangeChars_ = 0;
  readableBytes_ = kMostHeadBytes;
  readDeadline_ = Clock::now() + kHeadLimit;
  writeStart_ = readDeadline_;
  writtenBytes_ = 0;
}

void ClientStream::beginBody(std::uint64_t byteCount) {
  isHead_ = false;
  readableBytes_ = byteCount;
  readDeadline_ = Clock::now() + kBodyLimit;
  writeStart_ = Clock::now();
}

char ClientStream::renamed(char c) {
  constexpr std::string_view kName = "range";
  constexpr std::size_t kOther = kName.size();
  if (c == '\n') {
    rangeChars_ = 0;
    return c;
  }
  const char small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool isPart = rangeChars_ < kOther && small == kName[rangeChars_];
  rangeChars_ = isPart ? rangeChars_ + 1 : kOther;
  return isPart && rangeChars_ == kOther ? '_' : c;
}

ssize_t ClientStream::fail() {
  isBroken_ = true;
  return -1;
}

bool ClientStream::is_readable() const { return !isBroken_ && !isStopping_; }

bool ClientStream::is_writable() const { return waitUntil(POLLOUT, Clock::now() + kWriteStall); }

ssize_t ClientStream::read(char* out, std::size_t size) {
  if (isBroken_ || readableBytes_ == 0) return fail();
  while (bufferBegin_ == bufferEnd_) {
    if (!waitForBytes()) return fail();
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return fail();
    bufferBegin_ = 0;
    bufferEnd_ = got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  const auto n = static_cast<std::size_t>(
      std::min<std::uint64_t>({size, bufferEnd_ - bufferBegin_, readableBytes_}));
  std::memcpy(out, buffer_.data() + bufferBegin_, n);
  if (isHead_) std::transform(out, out + n, out, [this](char c) { return renamed(c); });
  bufferBegin_ += n;
  readableBytes_ -= n;
  return static_cast<ssize_t>(n);
}

ssize_t ClientStream::write(const char* bytes, std::size_t size) {
  const Clock::time_point stalled = Clock::now() + kWriteStall;
  for (;;) {
    if (!waitUntil(POLLOUT, stalled)) return fail();
    const auto busy = std::chrono::duration_cast<seconds>(Clock::now() - writeStart_);
    if (busy > kLeastRateAfter &&
        writtenBytes_ < kLeastBytesPerSecond * static_cast<std::uint64_t>(busy.count())) {
      return fail();
    }
    const ssize_t sent = ::send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return fail();
    writtenBytes_ += static_cast<std::uint64_t>(sent);
    return sent;
  }
}

void ClientStream::linger() {
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point end = Clock::now() + milliseconds{500};
  for (int rounds = 0; rounds < 64 && waitUntil(POLLIN, end); ++rounds) {
    if (::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT) <= 0) return;
  }
}

void ClientStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  nameOf(socket_, ::getpeername, ip, port);
}

void ClientStream::get_local_ip_and_port(std::string& ip, int& port) const {
  nameOf(socket_, ::getsockname, ip, port);
}

}  // namespace strata::hub
