#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/transfer/remote_config.h"
#include "hub/credentials/credentials.h"
#include "hub/http/http_client.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// A server that wants credentials, as remotes and URLs name it.
struct CredentialServer {
  CredentialQuery query;
  std::string url;       ///< of the remote: "s3://models/x"
  std::string endpoint;  ///< of the Hugging Face API; of others only where the remote names one
  HttpSettings http;

  /// "hf://huggingface.co  remote hub"
  std::string label() const;
};

/// The server behind a remote. Fails as credentialQuery: file URLs have none.
Result<CredentialServer> credentialServer(const RemoteConfig& remote,
                                          const TransportOptions& options,
                                          const Environment& environment);

struct LoginReport {
  std::string account;    ///< whose the secret is; empty where nobody can say
  std::string unchecked;  ///< why the server was not asked whether it holds; empty: it was
  std::string place;      ///< where it is kept, for people
};

/// Keeps a secret for a server, to which it is shown first, unless offline. A registry or an object
/// store that cannot be reached does not stop that.
/// Fails with LoginRequired (refused), InvalidArgument (no token can look like this), Network and
/// as Credentials::save. Errors never quote the secret.
Result<LoginReport> logIn(const Credentials& credentials, const CredentialServer& server,
                          Credential credential, const std::stop_token& stop);

struct LogoutReport {
  bool wasThere = false;
  std::optional<std::string> stillFrom;  ///< another place that has a secret for this server
};

/// Forgets what logIn() kept. Variables and files of other tools stay. Fails as
/// Credentials::remove.
Result<LogoutReport> logOut(const Credentials& credentials, const CredentialServer& server);

struct LoginStatus {
  std::string account;               ///< as the server says, else the user name; may be empty
  std::string unchecked;             ///< why the server could not be asked; empty: it was, or not
  std::vector<std::string> sources;  ///< the one in use first
  bool isOurs = false;               ///< logOut() would take away the one in use
};

/// What is asked of the server.
enum class AskServer { No, Yes };

/// Where a server's secret comes from; never the secret. Without one, `sources` is empty.
/// Asked, the server says whether it holds (secret_check.h). Fails with LoginRequired (refused),
/// Network and as Credentials::all.
Result<LoginStatus> loginStatus(const Credentials& credentials, const CredentialServer& server,
                                AskServer ask, const std::stop_token& stop);

}  // namespace strata::hub
