#include "hub/aws/sso_keys.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/aws/small_file.h"
#include "hub/credentials/secret_file.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A token is renewed this long before it ends, as Amazon's tools do.
constexpr std::int64_t kTokenSecondsBeforeEnd = 900;

std::string sha1Hex(const std::string& text) {
  unsigned char raw[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), raw, &size, EVP_sha1(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", raw[i]);
  return hex;
}

std::string timeText(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// What a profile says of its single sign-on.
struct SignOn {
  std::string profile;
  std::string region;
  std::string account;
  std::string role;
  fs::path file;  ///< of the token
};

Result<SignOn> signOnOf(const AwsWorld& world, const std::string& name, const AwsSection& profile) {
  const std::string session = valueOf(profile, "sso_session");
  const AwsSection place =
      session.empty() ? profile
                      : readAwsSection(awsConfigFile(world.environment), "sso-session " + session);
  const std::string startUrl = valueOf(place, "sso_start_url");
  SignOn found{.profile = name,
               .region = valueOf(place, "sso_region"),
               .account = valueOf(profile, "sso_account_id"),
               .role = valueOf(profile, "sso_role_name"),
               .file = fs::path(world.environment("HOME")) / ".aws" / "sso" / "cache" /
                       (sha1Hex(session.empty() ? startUrl : session) + ".json")};
  if (!startUrl.empty() && !found.region.empty() && !found.account.empty() && !found.role.empty()) {
    return found;
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("profile {}: single sign-on needs sso_start_url, sso_region, "
                          "sso_account_id and sso_role_name",
                          name));
}

Error loginWanted(const SignOn& signOn, std::string_view why) {
  return {ErrorCode::LoginRequired,
          fmt::format("profile {}: its single sign-on {}: run aws sso login --profile {}",
                      signOn.profile, why, signOn.profile)};
}

/// Whether the file has what renewing takes. Older logins have no refresh token.
bool isRenewable(const json& cached, std::int64_t now) {
  const auto ends = textMember(cached, "registrationExpiresAt");
  return textMember(cached, "refreshToken") && textMember(cached, "clientId") &&
         textMember(cached, "clientSecret") && (!ends || awsTime(*ends) > now);
}

/// The token that comes in exchange for the refresh token; written to the file, which may bring a
/// new refresh token, too. That it cannot be written is no failure.
Result<std::string> renew(const AwsWorld& world, const SignOn& signOn, json cached,
                          std::int64_t now) {
  const std::string region = textMember(cached, "region").value_or(signOn.region);
  HttpRequest request;
  request.method = "POST";
  request.url = awsEndpoint(world, "AWS_ENDPOINT_URL_SSO_OIDC", "oidc", region) + "/token";
  request.headers.add("Content-Type", "application/json");
  request.body = HttpBody{.text = json{{"clientId", cached["clientId"]},
                                       {"clientSecret", cached["clientSecret"]},
                                       {"grantType", "refresh_token"},
                                       {"refreshToken", cached["refreshToken"]}}
                                      .dump()};
  request.secrets = {cached["clientSecret"].get<std::string>(),
                     cached["refreshToken"].get<std::string>()};
  const std::string source = "renewing the single sign-on of profile " + signOn.profile;
  STRATA_TRY(const std::string text, askAws(world.http, std::move(request), source, world.stop));
  STRATA_TRY(const json answer, parseJson(text, source));
  const auto token = textMember(answer, "accessToken");
  const auto seconds = countMember(answer, "expiresIn");
  if (!token || token->empty() || !seconds) {
    return fail(ErrorCode::CorruptData, source + ": the answer holds no token");
  }
  cached["accessToken"] = *token;
  cached["expiresAt"] = timeText(now + static_cast<std::int64_t>(std::min<std::uint64_t>(
                                           *seconds, 366 * std::uint64_t{86'400})));
  if (const auto next = textMember(answer, "refreshToken")) cached["refreshToken"] = *next;
  static_cast<void>(writeSecretFile(signOn.file, cached.dump()));
  return *token;
}

Result<std::string> tokenOf(const AwsWorld& world, const SignOn& signOn, std::int64_t now) {
  const auto text = smallFile(signOn.file);
  const auto cached = text ? parseJson(*text, signOn.file.string()) : json();
  const std::string token = cached ? textMember(*cached, "accessToken").value_or("") : "";
  if (token.empty()) return fail(loginWanted(signOn, "has not been used"));
  const std::int64_t endsAt = awsTime(textMember(*cached, "expiresAt").value_or(""));
  if (endsAt > now + kTokenSecondsBeforeEnd) return token;
  if (!isRenewable(*cached, now)) {
    return endsAt > now ? Result<std::string>(token) : fail(loginWanted(signOn, "has ended"));
  }
  auto renewed = renew(world, signOn, *cached, now);
  if (renewed || renewed.error().code == ErrorCode::Cancelled) return renewed;
  if (endsAt > now) return token;
  const bool isOver = renewed.error().code == ErrorCode::LoginRequired ||
                      renewed.error().code == ErrorCode::Unsupported;  // 400: invalid_grant
  return isOver ? fail(loginWanted(signOn, "has ended and cannot be renewed")) : renewed;
}

}  // namespace

Result<AwsKeys> ssoKeys(const AwsWorld& world, const std::string& profileName,
                        const AwsSection& profile, std::int64_t now) {
  STRATA_TRY(const SignOn signOn, signOnOf(world, profileName, profile));
  STRATA_TRY(const std::string token, tokenOf(world, signOn, now));
  HttpRequest request;
  request.url = fmt::format("{}/federation/credentials?account_id={}&role_name={}",
                            awsEndpoint(world, "AWS_ENDPOINT_URL_SSO", "portal.sso", signOn.region),
                            encodeSegment(signOn.account), encodeSegment(signOn.role));
  request.headers.add("x-amz-sso_bearer_token", token);
  request.secrets = {token};
  const std::string source = fmt::format("single sign-on of profile {}", profileName);
  STRATA_TRY(const std::string answer, askAws(world.http, std::move(request), source, world.stop));
  STRATA_TRY(const json found, parseJson(answer, source));
  const json& keys = anyMember(found, "roleCredentials");
  AwsKeys given{
      .credential = {.user = textMember(keys, "accessKeyId").value_or(""),
                     .secret = textMember(keys, "secretAccessKey").value_or(""),
                     .sessionToken = textMember(keys, "sessionToken").value_or(""),
                     .source = source},
      .endsAt = static_cast<std::int64_t>(countMember(keys, "expiration").value_or(0) / 1000)};
  if (given.credential.user.empty() || given.credential.secret.empty() || given.endsAt == 0) {
    return fail(ErrorCode::CorruptData, source + ": the answer holds no keys");
  }
  return given;
}

}  // namespace strata::hub
