#pragma once

#include <string>
#include <string_view>

#include "hub/http/http_client.h"

namespace strata::hub {

/// What a server says of a failure: `X-Error-Message`, or what stands under the usual keys of a
/// JSON or XML body, or a short body that is no HTML. One line; may be empty.
std::string serverWords(const HttpResponse& response);

/// Words of a server on one line, and no more of them than a person reads.
std::string shortened(std::string words);

/// An answer that is no success as an error: "ACTION: 403 Forbidden (response from HOST): WORDS
/// [request ID]". 401 and 403 are LoginRequired, 404 and 410 NotFound, 408, 429, 5xx and the 407 of
/// a proxy (proxy.h) Network, all others Unsupported. Secrets are cut.
Error failureOf(const HttpClient& client, const HttpResponse& response, std::string_view action);

}  // namespace strata::hub
