#include "hub/aws/aws_keys.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/http_failure.h"

namespace strata::hub {

std::int64_t awsTime(const std::string& text) {
  std::tm parts{};
  int read = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &read) != 6) {
    return 0;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::tm asRead = parts;
  const std::int64_t local = ::timegm(&parts);
  // A 31st of February is another day by now.
  if (parts.tm_mon != asRead.tm_mon || parts.tm_mday != asRead.tm_mday ||
      parts.tm_hour != asRead.tm_hour || parts.tm_sec != asRead.tm_sec) {
    return 0;
  }
  std::string_view zone = std::string_view(text).substr(static_cast<std::size_t>(read));
  if (zone.starts_with('.')) {
    zone.remove_prefix(std::min(zone.find_first_not_of("0123456789", 1), zone.size()));
  }
  if (zone.empty() || zone == "Z") return local;
  char sign = 0;
  int hours = 0;
  int minutes = 0;
  if (std::sscanf(std::string(zone).c_str(), "%c%2d:%2d", &sign, &hours, &minutes) != 3) return 0;
  const std::int64_t offset = hours * 3600 + minutes * 60;
  return sign == '-' ? local + offset : sign == '+' ? local - offset : 0;
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
