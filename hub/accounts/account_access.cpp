#include "hub/accounts/account_access.h"

#include <fmt/format.h>

#include "hub/accounts/secret_check.h"
#include "hub/credentials/secret_file.h"
#include "hub/remote_http.h"

namespace strata::hub {
std::string CredentialServer::label() const {
  return fmt::format("{}://{}{}{}", name(query.service), query.host,
                     query.remote.empty() ? "" : "  remote ", query.remote);
}

Result<CredentialServer> credentialServer(const RemoteConfig& remote,
                                          const TransportOptions& options,
                                          const Environment& environment) {
  CredentialServer server;
  server.http = httpSettingsOf(remote, options);
  STRATA_TRY(server.query, credentialQuery(remote.url, remote.endpoint, remote.name, environment));
  server.url = remote.url;
  server.endpoint = remote.endpoint;
  if (server.query.service == Service::HuggingFace && server.endpoint.empty()) {
    server.endpoint = huggingFaceEndpoint(environment);
  }
  return server;
}

Result<LoginReport> logIn(const Credentials& credentials, const CredentialServer& server,
                          Credential credential, const std::stop_token& stop) {
  STRATA_TRY(credential.secret, cleanToken(credential.secret, "the secret"));
  STRATA_TRY(SecretCheck check, checkSecret(server, credential, stop));
  LoginReport report{std::move(check.account), std::move(check.unchecked), {}};
  STRATA_TRY(report.place, credentials.save(server.query, credential));
  return report;
}

Result<LogoutReport> logOut(const Credentials& credentials, const CredentialServer& server) {
  LogoutReport report;
  STRATA_TRY(report.wasThere, credentials.remove(server.query));
  STRATA_TRY(const auto left, credentials.find(server.query));
  if (left) report.stillFrom = left->source;
  return report;
}

Result<LoginStatus> loginStatus(const Credentials& credentials, const CredentialServer& server,
                                AskServer ask, const std::stop_token& stop) {
  STRATA_TRY(const std::vector<Credential> found, credentials.all(server.query));
  LoginStatus status;
  if (found.empty()) return status;
  for (const Credential& one : found) status.sources.push_back(one.source);
  status.account = found.front().user;
  status.isOurs = found.front().isOurs;
  if (ask == AskServer::No) return status;
  auto check = checkSecret(server, found.front(), stop);
  if (!check) return fail(std::move(check).error().within(found.front().source));
  status.account = std::move(check->account);
  status.unchecked = std::move(check->unchecked);
  return status;
}

}  // namespace strata::hub
