#include "hub/aws/role_keys.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/digest.h"
#include "core/text/command_words.h"
#include "core/text/json_text.h"
#include "hub/credentials/credential_helper.h"
#include "hub/http/url.h"
#include "hub/http/xml_text.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = std::size_t{64} << 10U;
constexpr std::chrono::seconds kProcessLimit{60};

/// A small file's text without white space at its end; nothing if it cannot be read.
std::optional<std::string> smallFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kMostFileBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

using Form = std::vector<std::pair<std::string, std::string>>;

/// A request of STS, signed if there are keys to sign with.
Result<AwsKeys> askSts(const AwsWorld& world, Form form, const Credential* with,
                       const std::string& source) {
  form.emplace_back("Version", "2011-06-15");
  std::string body;
  for (const auto& [key, value] : form) {
    body += (body.empty() ? "" : "&") + key + "=" + encodeSegment(value);
  }
  HttpRequest request;
  request.method = "POST";
  request.url = awsEndpoint(world, "AWS_ENDPOINT_URL_STS", "sts", world.region) + "/";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  if (with != nullptr) {
    request.headers.add("x-amz-content-sha256", toHex(sha256(std::as_bytes(std::span(body)))));
    if (!with->sessionToken.empty()) {
      request.headers.add("x-amz-security-token", with->sessionToken);
    }
    request.aws = AwsSignature{.region = world.region,
                               .service = "sts",
                               .accessKey = with->user,
                               .secretKey = with->secret};
  }
  request.body = HttpBody{.text = std::move(body)};
  STRATA_TRY(const std::string answer, askAws(world.http, std::move(request), source, world.stop));
  const auto found = xmlElements(answer, "Credentials");
  const std::string_view part = found.empty() ? std::string_view() : found.front();
  AwsKeys keys{.credential = {.user = xmlText(part, "AccessKeyId"),
                              .secret = xmlText(part, "SecretAccessKey"),
                              .sessionToken = xmlText(part, "SessionToken"),
                              .source = source},
               .endsAt = awsTime(xmlText(part, "Expiration"))};
  if (keys.credential.user.empty() || keys.credential.secret.empty() || keys.endsAt == 0) {
    return fail(ErrorCode::CorruptData, source + ": the answer holds no keys");
  }
  return keys;
}

std::string sha1Hex(const std::string& text) {
  unsigned char raw[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), raw, &size, EVP_sha1(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", raw[i]);
  return hex;
}

}  // namespace

Result<AwsKeys> assumeRole(const AwsWorld& world, const AwsSection& profile,
                           const Credential& with) {
  const std::string role = valueOf(profile, "role_arn");
  const std::string session = valueOf(profile, "role_session_name");
  Form form{{"Action", "AssumeRole"},
            {"RoleArn", role},
            {"RoleSessionName", session.empty() ? "strata" : session}};
  for (const auto& [parameter, key] :
       {std::pair("ExternalId", "external_id"), std::pair("DurationSeconds", "duration_seconds")}) {
    const std::string value = valueOf(profile, key);
    if (!value.empty()) form.emplace_back(parameter, value);
  }
  return askSts(world, std::move(form), &with, "taking the role " + role);
}

Result<AwsKeys> webIdentityKeys(const AwsWorld& world, const std::string& role,
                                const std::string& session, const std::string& tokenFile) {
  const auto token = smallFile(tokenFile);
  if (!token || token->empty()) {
    return fail(ErrorCode::NotFound, tokenFile + ": there is no web identity token to read");
  }
  return askSts(world,
                {{"Action", "AssumeRoleWithWebIdentity"},
                 {"RoleArn", role},
                 {"RoleSessionName", session.empty() ? "strata" : session},
                 {"WebIdentityToken", *token}},
                nullptr, "taking the role " + role + " by web identity");
}

Result<AwsKeys> ssoKeys(const AwsWorld& world, const std::string& profileName,
                        const AwsSection& profile, std::int64_t now) {
  const std::string session = valueOf(profile, "sso_session");
  const AwsSection place =
      session.empty() ? profile
                      : readAwsSection(awsConfigFile(world.environment), "sso-session " + session);
  const std::string startUrl = valueOf(place, "sso_start_url");
  const std::string region = valueOf(place, "sso_region");
  const std::string account = valueOf(profile, "sso_account_id");
  const std::string role = valueOf(profile, "sso_role_name");
  if (startUrl.empty() || region.empty() || account.empty() || role.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("profile {}: single sign-on needs sso_start_url, sso_region, "
                            "sso_account_id and sso_role_name",
                            profileName));
  }
  const fs::path file = fs::path(world.environment("HOME")) / ".aws" / "sso" / "cache" /
                        (sha1Hex(session.empty() ? startUrl : session) + ".json");
  const auto text = smallFile(file);
  const auto cached = text ? parseJson(*text, file.string()) : nlohmann::json();
  const std::string token = cached ? textMember(*cached, "accessToken").value_or("") : "";
  const std::int64_t endsAt = cached ? awsTime(textMember(*cached, "expiresAt").value_or("")) : 0;
  if (token.empty() || endsAt <= now) {
    return fail(
        ErrorCode::LoginRequired,
        fmt::format("profile {}: its single sign-on {}: run aws sso login --profile {}",
                    profileName, token.empty() ? "has not been used" : "has ended", profileName));
  }
  HttpRequest request;
  request.url = fmt::format("{}/federation/credentials?account_id={}&role_name={}",
                            awsEndpoint(world, "AWS_ENDPOINT_URL_SSO", "portal.sso", region),
                            encodeSegment(account), encodeSegment(role));
  request.headers.add("x-amz-sso_bearer_token", token);
  const std::string source = fmt::format("single sign-on of profile {}", profileName);
  STRATA_TRY(const std::string answer, askAws(world.http, std::move(request), source, world.stop));
  STRATA_TRY(const nlohmann::json json, parseJson(answer, source));
  const nlohmann::json& keys = anyMember(json, "roleCredentials");
  AwsKeys found{
      .credential = {.user = textMember(keys, "accessKeyId").value_or(""),
                     .secret = textMember(keys, "secretAccessKey").value_or(""),
                     .sessionToken = textMember(keys, "sessionToken").value_or(""),
                     .source = source},
      .endsAt = static_cast<std::int64_t>(countMember(keys, "expiration").value_or(0) / 1000)};
  if (found.credential.user.empty() || found.credential.secret.empty() || found.endsAt == 0) {
    return fail(ErrorCode::CorruptData, source + ": the answer holds no keys");
  }
  return found;
}

Result<AwsKeys> processKeys(const std::string& command) {
  STRATA_TRY(const std::vector<std::string> words, commandWords(command));
  const std::string source = "credential_process " + words.front();
  auto answer = runCredentialHelper(words, {}, kProcessLimit);
  if (!answer) return fail(answer.error().within("credential_process"));
  return awsKeysOfJson(*answer, "SessionToken", source);
}

}  // namespace strata::hub
