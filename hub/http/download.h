#pragma once

#include <cstdint>
#include <stop_token>

#include "hub/http/http_client.h"

namespace strata::hub {

/// What is to be fetched of a thing of known size.
struct Download {
  HttpRequest request;          ///< a GET, without a Range
  std::uint64_t byteCount = 0;  ///< of the whole thing
  std::uint64_t firstByte = 0;  ///< those before it are in the sink already; download() moves it
  ObjectSink* sink = nullptr;   ///< borrowed
};

/// Fetches the rest of a thing, and goes on by `Range` where the line broke. A server that answers
/// 200 to a range sends all of it: the sink restarts. What does not fit `byteCount` is refused
/// before it reaches the sink. An answer that is no success and will not become one is returned;
/// the same job goes on from there, as with another token.
/// Fails with what HttpClient::send fails with and CorruptData (sizes and ranges that are wrong).
Result<HttpResponse> download(HttpClient& client, Download& job, const std::stop_token& stop,
                              const TransferMeter& meter);

}  // namespace strata::hub
