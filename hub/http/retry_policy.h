#pragma once

#include <optional>

#include "hub/http/http_clock.h"
#include "hub/http/http_message.h"

namespace strata::hub {

/// When a request is sent again, and after how long.
struct RetryPolicy {
  unsigned tries = 6;
  unsigned silentTries = 2;  ///< of a server that takes a request and gives no answer in time
  HttpClock::Milliseconds first{500};        ///< doubles with each try, …
  HttpClock::Milliseconds most{30'000};      ///< … up to this; the wait is random from 0 to that
  HttpClock::Milliseconds longest{300'000};  ///< a server that asks for more gets an error
};

/// 408, 429, 500, 502, 503, 504.
bool isWorthARetry(int status) noexcept;

/// What the server asks to wait: `RateLimit` (r=0;t=55, plus a second) or `Retry-After` in seconds.
std::optional<HttpClock::Milliseconds> askedWait(const HttpHead& head);

/// The wait before try number `next` (2 for the first repetition); full jitter unless `asked`.
HttpClock::Milliseconds waitBefore(unsigned next, const RetryPolicy& policy,
                                   std::optional<HttpClock::Milliseconds> asked);

}  // namespace strata::hub
