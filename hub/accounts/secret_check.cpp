#include "hub/accounts/secret_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hub/accounts/whoami.h"
#include "hub/credentials/aws_files.h"
#include "hub/http/xml_text.h"
#include "hub/oci/oci_client.h"
#include "hub/s3/s3_client.h"

namespace strata::hub {
namespace {

Result<std::string> accountOf(const CredentialServer& server, const std::string& secret,
                              const std::stop_token& stop) {
  HttpClient client(server.http);
  STRATA_TRY(const Account found, whoAmI(client, server.endpoint, secret, stop));
  return found.role.empty() ? found.name : fmt::format("{} ({})", found.name, found.role);
}

Result<void> askRegistry(const CredentialServer& server, const Credential& credential,
                         const HttpSettings& http, const std::stop_token& stop) {
  STRATA_TRY(OciAddress address,
             OciAddress::parseRegistry("oci://" + server.query.host, http.plainHttp));
  STRATA_TRY(OciClient(std::move(address), credential, http).ping(stop));
  return {};
}

/// A key that holds may still not list this bucket: only what is said of the key itself counts.
Result<void> askStore(const CredentialServer& server, const Credential& credential,
                      const HttpSettings& http, const std::stop_token& stop) {
  constexpr std::array<std::string_view, 5> kRefusals{"InvalidAccessKeyId", "SignatureDoesNotMatch",
                                                      "InvalidToken", "ExpiredToken",
                                                      "InvalidClientTokenId"};
  const AwsSettings aws = awsSettings(processEnvironment());
  const std::string& endpoint = server.endpoint.empty() ? aws.endpoint : server.endpoint;
  STRATA_TRY(const S3Address address,
             S3Address::parse(server.url, endpoint, aws.region, aws.addressing));
  S3Client client(
      address, aws.region,
      std::make_unique<AwsKeySource>(credential, processEnvironment(), http, aws.region), http);
  const S3Address::Query query{{"list-type", "2"}, {"max-keys", "1"}};
  STRATA_TRY(const HttpResponse response,
             client.send("GET", address.bucketUrl(query), {}, std::nullopt, hashOf(""), stop));
  const std::string code = xmlText(response.body, "Code");
  const bool isRefused = response.head.status == 401 ||
                         std::find(kRefusals.begin(), kRefusals.end(), code) != kRefusals.end();
  if (!isRefused) return {};
  return fail(client.failure(response, "checking the key"));
}

}  // namespace

Result<SecretCheck> checkSecret(const CredentialServer& server, const Credential& credential,
                                const std::stop_token& stop) {
  SecretCheck check{credential.user, {}};
  if (server.http.offline) {
    check.unchecked = "offline";
    return check;
  }
  if (server.query.service == Service::HuggingFace) {
    STRATA_TRY(check.account, accountOf(server, credential.secret, stop));
    return check;
  }
  HttpSettings http = server.http;
  http.retry.tries = 1;  // a person waits
  const Result<void> asked = server.query.service == Service::Registry
                                 ? askRegistry(server, credential, http, stop)
                                 : askStore(server, credential, http, stop);
  if (asked) return check;
  const ErrorCode code = asked.error().code;
  if (code == ErrorCode::LoginRequired || code == ErrorCode::Cancelled) return fail(asked.error());
  check.unchecked = asked.error().message;
  return check;
}

}  // namespace strata::hub
