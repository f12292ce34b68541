#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "hub/http/channel.h"
#include "hub/http/rate_limit.h"
#include "hub/http/url.h"

namespace strata::hub {

/// One hop while it runs: what libcurl's callbacks fill and ask. Lives on the stack of
/// Channel::perform. A callback that fails leaves its error here and makes libcurl stop.
class TransferState {
 public:
  TransferState(const Hop& hop, RateLimit& limit, const std::stop_token& stop)
      : hop_(hop), limit_(limit), stop_(stop) {}

  /// Whom the hop is for: behind a proxy the address that libcurl connects to is not the server's.
  void expectServer(const Origin& origin, bool hasProxy);
  /// Points the callbacks of `easy` here.
  void attach(CURL* easy);

  HopAnswer answer;
  std::optional<Error> error;  ///< of a callback
  bool bodyWasCut = false;     ///< enough was read of an error's body
  bool gaveBodyBytes = false;
  std::uint64_t movedBytes = 0;  ///< in both directions, headers included

  bool isSending() const noexcept { return sentBytes_ < bodyBytes(); }
  bool hasAnswer() const noexcept { return answer.head.status >= 200; }
  std::uint64_t bodyBytes() const noexcept;
  /// Takes back what the meter was told of a body that has to be sent again.
  void takeBackSent();

 private:
  static std::size_t onHeader(char* data, std::size_t one, std::size_t count, void* self) noexcept;
  static std::size_t onWrite(char* data, std::size_t one, std::size_t count, void* self) noexcept;
  static std::size_t onRead(char* data, std::size_t one, std::size_t count, void* self) noexcept;
  static int onSeek(void* self, curl_off_t offset, int origin) noexcept;
  static int onConnected(void* self, char* remote, char* local, int remotePort,
                         int localPort) noexcept;

  bool isPrivate(std::string_view remote, int remotePort) const noexcept;
  bool takeHeader(std::string_view line);
  bool takeBody(std::span<const std::byte> bytes);
  bool stopWith(Error failure);
  bool passes(std::uint64_t bytes);

  const Hop& hop_;
  RateLimit& limit_;
  const std::stop_token& stop_;
  std::uint64_t sentBytes_ = 0;
  std::size_t headerBytes_ = 0;
  Origin server_;
  bool hasProxy_ = false;
};

}  // namespace strata::hub
