#include "hub/credentials/account_access.h"

#include <fmt/format.h>

#include "hub/credentials/secret_file.h"
#include "hub/credentials/whoami.h"
#include "hub/remote_http.h"

namespace strata::hub {
namespace {

bool canSayWhose(const CredentialServer& server) noexcept {
  return server.query.service == Service::HuggingFace && !server.http.offline;
}

Result<std::string> accountOf(const CredentialServer& server, const std::string& secret,
                              const std::stop_token& stop) {
  HttpClient client(server.http);
  STRATA_TRY(const Account found, whoAmI(client, server.endpoint, secret, stop));
  return found.role.empty() ? found.name : fmt::format("{} ({})", found.name, found.role);
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
  server.http = httpSettingsOf(remote, options);
  STRATA_TRY(server.query, credentialQuery(remote.url, remote.endpoint, remote.name, environment));
  server.endpoint = remote.endpoint.empty() ? huggingFaceEndpoint(environment) : remote.endpoint;
  return server;
}

Result<LoginReport> logIn(const Credentials& credentials, const CredentialServer& server,
                          Credential credential, const std::stop_token& stop) {
  STRATA_TRY(credential.secret, cleanToken(credential.secret, "the secret"));
  LoginReport report{.account = credential.user, .place = {}};
  if (canSayWhose(server)) {
    STRATA_TRY(report.account, accountOf(server, credential.secret, stop));
  }
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
  if (ask == AskServer::No || !canSayWhose(server)) return status;
  auto account = accountOf(server, found.front().secret, stop);
  if (!account) return fail(std::move(account).error().within(found.front().source));
  status.account = *std::move(account);
  return status;
}

}  // namespace strata::hub
