#include "hub/aws/aws_keys.h"

#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/http_failure.h"

namespace strata::hub {

std::int64_t awsTime(const std::string& text) {
  std::tm parts{};
  int offsetHours = 0;
  int offsetMinutes = 0;
  char sign = '+';
  double seconds = 0;
  const int read = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%lf%c%2d:%2d", &parts.tm_year,
                               &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min,
                               &seconds, &sign, &offsetHours, &offsetMinutes);
  if (read < 6) return 0;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_sec = static_cast<int>(seconds);
  const std::int64_t local = ::timegm(&parts);
  const std::int64_t offset = read == 9 ? offsetHours * 3600 + offsetMinutes * 60 : 0;
  return sign == '-' ? local + offset : local - offset;
}

Result<AwsKeys> awsKeysOfJson(std::string_view text, const char* tokenKey,
                              const std::string& source) {
  STRATA_TRY(const nlohmann::json answer, parseJson(text, source));
  AwsKeys keys{.credential = {.user = textMember(answer, "AccessKeyId").value_or(""),
                              .secret = textMember(answer, "SecretAccessKey").value_or(""),
                              .sessionToken = textMember(answer, tokenKey).value_or(""),
                              .source = source}};
  if (keys.credential.user.empty() || keys.credential.secret.empty()) {
    return fail(ErrorCode::CorruptData, source + ": the answer holds no keys");
  }
  const std::string ends = textMember(answer, "Expiration").value_or("");
  keys.endsAt = awsTime(ends);
  if (!ends.empty() && keys.endsAt == 0) {
    return fail(ErrorCode::CorruptData, source + ": the answer does not say when the keys end");
  }
  return keys;
}

Result<std::string> askAws(const HttpSettings& http, HttpRequest request,
                           const std::string& service, const std::stop_token& stop) {
  request.redirects = Redirects::Answer;  // they would take the secrets of headers and body along
  request.maxBodyBytes = std::size_t{256} << 10U;
  HttpClient client(http);
  auto response = client.send(request, stop);
  if (!response) return fail(response.error().within(service));
  if (!response->succeeded()) return fail(failureOf(client, *response, service));
  return std::move(response->body);
}

std::string awsEndpoint(const AwsWorld& world, const char* variable, std::string_view host,
                        const std::string& region) {
  for (const char* const name : {variable, "AWS_ENDPOINT_URL"}) {
    std::string url = world.environment(name);
    while (url.ends_with('/')) url.pop_back();
    if (!url.empty()) return url;
  }
  const bool isChina = region.starts_with("cn-");
  return fmt::format("https://{}.{}.amazonaws.com{}", host, region, isChina ? ".cn" : "");
}

}  // namespace strata::hub
