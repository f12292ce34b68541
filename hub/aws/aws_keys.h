#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "hub/credentials/credential.h"
#include "hub/http/http_client.h"

namespace strata::hub {

/// Keys, and when they end.
struct AwsKeys {
  Credential credential;
  std::int64_t endsAt = 0;  ///< seconds since 1970, UTC; 0: never
};

/// "2026-03-09T14:02:11Z" as seconds since 1970; 0 for what is no such time.
std::int64_t awsTime(const std::string& text);

/// Keys out of a JSON object: `AccessKeyId`, `SecretAccessKey`, the token under `tokenKey`,
/// `Expiration`. Fails with CorruptData, never quoting the text: it holds secrets.
Result<AwsKeys> awsKeysOfJson(std::string_view text, const char* tokenKey,
                              const std::string& source);

/// What asking for keys needs.
struct AwsWorld {
  Environment environment;
  HttpSettings http;   ///< for Amazon's own services: without a remote's certificates
  std::string region;  ///< of the services
  std::stop_token stop;
};

/// The answer to one request; the failure of one that is no success, with the server's words and
/// without the request's secrets. `service` names what was asked.
Result<std::string> askAws(const HttpSettings& http, HttpRequest request,
                           const std::string& service, const std::stop_token& stop);

/// $AWS_ENDPOINT_URL_STS (`variable`) or $AWS_ENDPOINT_URL, else Amazon's `host`.REGION.
std::string awsEndpoint(const AwsWorld& world, const char* variable, std::string_view host,
                        const std::string& region);

}  // namespace strata::hub
