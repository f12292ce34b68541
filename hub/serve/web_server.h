#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "hub/serve/web_exchange.h"

namespace strata::hub {

/// Most bytes of a request's body; larger ones get 413.
inline constexpr std::uint64_t kMostBodyBytes = 1 << 20;

/// An HTTP/1.1 server for GET, HEAD and small POSTs, on cpp-httplib. Threads, memory and time of
/// each client are bounded: a head of at most 32 KiB within 10 s, 30 s without a byte taken ends a
/// connection, and `mostConnections` are served at once, of one address three quarters of them. A
/// connection without a whole request takes no thread (hub/serve/waiting_room.h).
class WebServer {
 public:
  explicit WebServer(WebHandler handler, WebLog log, std::size_t mostConnections = 64);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Takes the address; port 0 means any free one. Returns the port.
  /// Fails with Io: in use, not allowed, no such address.
  Result<std::uint16_t> bind(const std::string& host, std::uint16_t port);

  /// Serves until `stop`; then ends all connections. After bind(), once. Fails with Io.
  Result<void> run(const std::stop_token& stop);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace strata::hub
