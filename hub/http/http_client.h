#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "hub/http/http_clock.h"
#include "hub/http/http_message.h"
#include "hub/http/retry_policy.h"
#include "hub/http/wait_notice.h"

namespace strata::hub {

/// How a remote's server is reached.
struct HttpSettings {
  std::string userAgent = "strata";
  std::string proxy = {};              ///< empty: http_proxy, https_proxy, no_proxy
  std::string caFile = {};             ///< empty: SSL_CERT_FILE, else the system's
  std::string clientCertificate = {};  ///< a PEM file
  std::string clientKey = {};          ///< a PEM file; empty: it is in the certificate's
  bool insecure = false;               ///< take any certificate; only by the user's word
  bool plainHttp = false;              ///< http:// to hosts other than loopback
  std::string realms = {};             ///< "REGISTRY=SERVER,…": who else may get a password
  bool offline = false;                ///< fail at once
  std::uint64_t bytesPerSecond = 0;    ///< of all transfers together; 0: no limit
  unsigned parallel = 4;               ///< transfers at once; further ones wait
  RetryPolicy retry = {};
  HttpClock::Milliseconds connectLimit{15'000};
  HttpClock::Milliseconds stallLimit{30'000};  ///< how long a body may move less than leastRate()
  std::uint64_t leastBytesPerSecond = 1000;    ///< of each transfer; 0: one byte in stallLimit does
  HttpClock::Milliseconds answerLimit{120'000};  ///< from the last byte sent to the first one back
  HttpClock* clock = &systemClock();
  WaitNotice onWait = {};  ///< for waits that others cause

  /// Bytes a second below which a transfer is given up: leastBytesPerSecond, but never more than
  /// half of what bytesPerSecond leaves to each transfer.
  std::uint64_t leastRate() const noexcept;
};

/// Sends HTTP requests: libcurl's multi interface with kept-alive connections, HTTP/2 where it is
/// offered. send() blocks; threads that call it share the connections, `parallel` at a time.
///
/// Redirects: at most 10, never from https to http or to another scheme, never from a public
/// address to a private one, without credentials to another origin (scheme, host, port). Once a
/// public server was the first to answer, no request reaches a private address: URLs that it gives
/// in other ways than redirects, as git-lfs does, lead there no more than those.
/// Retries: network failures and the statuses of RetryPolicy, as long as `request.retries` and no
/// byte of the answer's body went out. Secrets are cut from all error texts.
class HttpClient {
 public:
  explicit HttpClient(HttpSettings settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  const HttpSettings& settings() const noexcept;

  /// Any answer is a success here, whatever its status: see http_failure.h. Of one that is not 2xx
  /// at most 64 KiB of body are kept. Fails with Network, CorruptData (a body above its limit, a
  /// forbidden redirect), Cancelled, InvalidArgument (a URL that is none or plain http) and with
  /// what the callbacks fail with.
  Result<HttpResponse> send(const HttpRequest& request, const std::stop_token& stop);

  /// `text` without the secrets that went through this client: for texts of servers.
  std::string redacted(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strata::hub
