#include "hub/aws/instance_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "hub/http/url.h"

namespace strata::hub {
namespace {

constexpr const char* kContainerAgent = "http://169.254.170.2";
/// Of agents of containers that may be asked over plain http, beside this machine.
constexpr std::array<std::string_view, 3> kAgents{"169.254.170.2", "169.254.170.23",
                                                  "[fd00:ec2::23]"};

Result<std::string> containerUrl(const Environment& environment) {
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (!relative.empty()) return kContainerAgent + relative;
  const std::string url = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (url.empty()) return url;
  STRATA_TRY(const Origin origin, originOf(url));
  const bool isAgent = std::find(kAgents.begin(), kAgents.end(), origin.host) != kAgents.end();
  if (origin.scheme == "https" || isAgent || isLoopbackHost(origin.host)) return url;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("$AWS_CONTAINER_CREDENTIALS_FULL_URI: {} over plain http is neither this "
                          "machine nor a container's agent",
                          origin.host));
}

Result<std::string> containerToken(const Environment& environment) {
  const std::string file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (file.empty()) return environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  std::ifstream in(file);
  std::string token;
  if (std::getline(in, token)) return token;
  return fail(ErrorCode::NotFound,
              file + ": $AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read");
}

/// For addresses of this link only: no name is looked up, and nobody waits for long.
HttpSettings nearby(HttpSettings http, HttpClock::Milliseconds limit, unsigned tries) {
  http.plainHttp = true;
  http.retry.tries = tries;
  http.connectLimit = http.answerLimit = limit;
  return http;
}

std::int64_t positiveNumber(const std::string& text, std::int64_t otherwise) {
  const std::int64_t number = std::strtoll(text.c_str(), nullptr, 10);
  return number > 0 && number < 1000 ? number : otherwise;
}

bool isTrue(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text == "true";
}

}  // namespace

Result<std::optional<AwsKeys>> containerKeys(const AwsWorld& world) {
  STRATA_TRY(const std::string url, containerUrl(world.environment));
  if (url.empty()) return std::nullopt;
  HttpRequest request;
  request.url = url;
  STRATA_TRY(request.authorization, containerToken(world.environment));
  const HttpSettings http = nearby(world.http, HttpClock::Milliseconds(2000), 3);
  const std::string source = "the container's credentials";
  STRATA_TRY(const std::string answer, askAws(http, std::move(request), source, world.stop));
  STRATA_TRY(AwsKeys keys, awsKeysOfJson(answer, "Token", source));
  return keys;
}

Result<std::optional<AwsKeys>> instanceKeys(const AwsWorld& world) {
  if (isTrue(world.environment("AWS_EC2_METADATA_DISABLED")) || world.http.offline) {
    return std::nullopt;
  }
  std::string endpoint = world.environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) endpoint = "http://169.254.169.254";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto& environment = world.environment;
  const std::int64_t seconds = positiveNumber(environment("AWS_METADATA_SERVICE_TIMEOUT"), 1);
  const std::int64_t tries = positiveNumber(environment("AWS_METADATA_SERVICE_NUM_ATTEMPTS"), 1);
  const HttpSettings http =
      nearby(world.http, HttpClock::Milliseconds(1000 * seconds), static_cast<unsigned>(tries));
  const std::string source = "the instance's metadata";
  HttpRequest ask;
  ask.method = "PUT";
  ask.url = endpoint + "/latest/api/token";
  ask.headers.add("x-aws-ec2-metadata-token-ttl-seconds", "21600");
  ask.body = HttpBody{};
  const auto token = askAws(http, std::move(ask), source, world.stop);
  // No such service here is what most machines say.
  if (!token && token.error().code == ErrorCode::Cancelled) return fail(token.error());
  if (!token) return std::nullopt;
  const auto get = [&](const std::string& path) {
    HttpRequest request;
    request.url = endpoint + "/latest/meta-data/iam/security-credentials/" + path;
    request.headers.add("x-aws-ec2-metadata-token", *token);
    request.secrets = {*token};
    return askAws(http, std::move(request), source, world.stop);
  };
  const auto roles = get("");
  if (!roles && roles.error().code == ErrorCode::NotFound) return std::nullopt;  // it has no role
  if (!roles) return fail(roles.error());
  const std::string role = roles->substr(0, roles->find_first_of("\r\n"));
  STRATA_TRY(const std::string answer, get(encodeSegment(role)));
  STRATA_TRY(AwsKeys keys, awsKeysOfJson(answer, "Token", source + ", role " + role));
  return keys;
}

}  // namespace strata::hub
