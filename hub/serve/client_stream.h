#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace strata::hub {

/// Of the lines before a request's body.
inline constexpr std::size_t kMostHeadBytes = 32 << 10;
inline constexpr std::chrono::seconds kHeadLimit{10};
/// What the library is told that the line `Range` is called: it would refuse each request whose
/// range it cannot count, such as one of more digits than a number has.
inline constexpr const char* kRangeLine = "Rang_";

/// One client's connection as the HTTP library reads and writes it, with limits that a client
/// cannot stretch: the library's own limits hold for a line or a read, not for a request.
class ClientStream final : public httplib::Stream {
 public:
  /// `socket` stays the caller's. `isStopping` ends all waiting. While `isWanted` says that others
  /// wait for this thread, half a second without a byte ends a request.
  ClientStream(int socket, const std::atomic<bool>& isStopping, std::function<bool()> isWanted);

  /// A request begins: its head is here or comes now.
  void beginHead();
  /// Whether bytes of a further request were read along with the last one.
  bool hasMore() const noexcept { return bufferBegin_ != bufferEnd_; }
  /// The head has been read; from now on at most `byteCount` bytes of a body.
  void beginBody(std::uint64_t byteCount);
  /// Whether a limit was passed, after which nothing that comes can be understood.
  bool isBroken() const noexcept { return isBroken_; }
  /// Lets a last answer arrive although the client still sends.
  void linger();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool waitUntil(short events, Clock::time_point deadline) const;
  bool waitForBytes() const;
  ssize_t fail();
  /// Renames the line `Range` of a head as it passes.
  char renamed(char c);

  int socket_;
  const std::atomic<bool>& isStopping_;
  const std::function<bool()> isWanted_;
  bool isBroken_ = false;
  bool isHead_ = false;
  std::size_t rangeChars_ = 0;       // of a line's first ones, those that begin `Range`
  std::uint64_t readableBytes_ = 0;  // that the request may still have
  Clock::time_point readDeadline_;
  Clock::time_point writeStart_;
  std::uint64_t writtenBytes_ = 0;  // since then
  std::array<char, 4096> buffer_;
  std::size_t bufferBegin_ = 0;
  std::size_t bufferEnd_ = 0;
};

}  // namespace strata::hub
