#include "hub/aws/role_keys.h"

#include <fmt/format.h>

#include "core/digest.h"
#include "core/text/command_words.h"
#include "core/text/json_text.h"
#include "hub/aws/small_file.h"
#include "hub/credentials/credential_helper.h"
#include "hub/http/url.h"
#include "hub/http/xml_text.h"

namespace strata::hub {
namespace {

constexpr std::chrono::seconds kProcessLimit{60};

using Form = std::vector<std::pair<std::string, std::string>>;

/// A request of STS, signed if there are keys to sign with.
Result<AwsKeys> askSts(const AwsWorld& world, Form form, const Credential* with,
                       const std::string& source) {
  form.emplace_back("Version", "2011-06-15");
  std::string body;
  HttpRequest request;
  for (const auto& [key, value] : form) {
    body += (body.empty() ? "" : "&") + key + "=" + encodeSegment(value);
    if (key == "WebIdentityToken") request.secrets.push_back(value);
  }
  request.method = "POST";
  request.url = awsEndpoint(world, "AWS_ENDPOINT_URL_STS", "sts", world.region) + "/";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  if (with != nullptr) {
    request.headers.add("x-amz-content-sha256", toHex(sha256(std::as_bytes(std::span(body)))));
    if (!with->sessionToken.empty()) {
      request.headers.add("x-amz-security-token", with->sessionToken);
      request.secrets.push_back(with->sessionToken);
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

Result<AwsKeys> processKeys(const std::string& command) {
  STRATA_TRY(const std::vector<std::string> words, commandWords(command));
  const std::string source = "credential_process " + words.front();
  auto answer = runCredentialHelper(words, {}, kProcessLimit);
  if (!answer) return fail(answer.error().within("credential_process"));
  return awsKeysOfJson(*answer, "SessionToken", source);
}

}  // namespace strata::hub
