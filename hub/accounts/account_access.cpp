#include "hub/accounts/account_access.h"

#include <fmt/format.h>

#include "core/io/core_dumps.h"
#include "hub/accounts/secret_check.h"
#include "hub/aws/aws_key_source.h"
#include "hub/credentials/aws_files.h"
#include "hub/credentials/secret_file.h"
#include "hub/remote_http.h"

namespace strata::hub {
namespace {

/// Places of keys that are looked for here, the one in use first; those of Amazon's tools that
/// nobody has to be asked for.
Result<std::vector<Credential>> placesOf(const Credentials& credentials,
                                         const CredentialServer& server) {
  if (server.query.service != Service::ObjectStore) return credentials.all(server.query);
  STRATA_TRY(std::vector<Credential> found, credentials.allOutsideTools(server.query));
  for (const AwsSource& source : awsSources(processEnvironment())) {
    if (source.kind == AwsSource::Kind::Instance) continue;  // only asking tells
    found.push_back({.source = source.words});
  }
  return found;
}

/// Keys that Amazon's services or files give; they are asked.
Result<std::optional<Credential>> toolsKeys(const CredentialServer& server,
                                            const std::stop_token& stop) {
  HttpSettings http = server.http;
  http.retry.tries = 1;  // a person waits
  const Environment environment = processEnvironment();
  AwsKeySource source(std::nullopt, environment, http, awsSettings(environment).region);
  return source.current(stop);
}

}  // namespace

std::string CredentialServer::label() const {
  return fmt::format("{}://{}{}{}", name(query.service), query.host,
                     query.remote.empty() ? "" : "  remote ", query.remote);
}

Result<CredentialServer> credentialServer(const RemoteConfig& remote,
                                          const TransportOptions& options,
                                          const Environment& environment) {
  CredentialServer server;
  STRATA_TRY(server.query, credentialQuery(remote.url, remote.endpoint, remote.name, environment));
  STRATA_TRY(server.http, httpSettingsOf(remote, options));
  server.url = remote.url;
  server.endpoint = remote.endpoint;
  if (server.query.service == Service::HuggingFace && server.endpoint.empty()) {
    server.endpoint = huggingFaceEndpoint(environment);
  }
  return server;
}

Result<LoginReport> logIn(const Credentials& credentials, const CredentialServer& server,
                          Credential credential, const std::stop_token& stop) {
  forbidCoreDumps();
  STRATA_TRY(credential.secret, cleanToken(credential.secret, "the secret"));
  STRATA_TRY(SecretCheck check, checkSecret(server, credential, stop));
  LoginReport report{std::move(check.account), std::move(check.unchecked), {}};
  STRATA_TRY(report.place, credentials.save(server.query, credential));
  return report;
}

Result<LogoutReport> logOut(const Credentials& credentials, const CredentialServer& server) {
  LogoutReport report;
  STRATA_TRY(report.wasThere, credentials.remove(server.query));
  STRATA_TRY(const std::vector<Credential> left, placesOf(credentials, server));
  if (!left.empty()) report.stillFrom = left.front().source;
  return report;
}

Result<LoginStatus> loginStatus(const Credentials& credentials, const CredentialServer& server,
                                AskServer ask, const std::stop_token& stop) {
  STRATA_TRY(std::vector<Credential> found, placesOf(credentials, server));
  LoginStatus status;
  for (const Credential& one : found) status.sources.push_back(one.source);
  if (!found.empty()) {
    status.account = found.front().user;
    status.isOurs = found.front().isOurs;
  }
  if (ask == AskServer::No) return status;
  const bool isBucket = server.query.service == Service::ObjectStore;
  if (isBucket && (found.empty() || found.front().secret.empty())) {
    if (server.http.offline) {
      if (!found.empty()) status.unchecked = "offline";
      return status;
    }
    STRATA_TRY(auto keys, toolsKeys(server, stop));
    if (!keys) return LoginStatus{};
    if (found.empty()) status.sources.push_back(keys->source);
    keys->source = status.sources.front();
    found = {*std::move(keys)};
  }
  if (found.empty()) return status;
  auto check = checkSecret(server, found.front(), stop);
  if (!check) return fail(std::move(check).error().within(found.front().source));
  status.account = std::move(check->account);
  status.unchecked = std::move(check->unchecked);
  return status;
}

}  // namespace strata::hub
