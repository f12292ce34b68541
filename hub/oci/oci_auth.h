#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "hub/credentials/credential.h"
#include "hub/http/http_client.h"

namespace strata::hub {

/// What a registry answers to a request without credentials (`Www-Authenticate`).
struct AuthChallenge {
  enum class Kind { None, Basic, Bearer };
  Kind kind = Kind::None;
  std::string realm;    ///< URL of the token server, of Bearer
  std::string service;  ///< its name for the registry
  std::string scope;    ///< what the refused request needs
};

AuthChallenge readChallenge(std::string_view header);

/// Shows registries who asks: Basic, or tokens of the registry's token server, which are kept until
/// shortly before they expire. Safe to use from several threads.
class OciAuth {
 public:
  /// `registry`: whose credential it is, as "https://ghcr.io".
  OciAuth(HttpClient& client, std::string registry, std::optional<Credential> credential)
      : client_(client), registry_(std::move(registry)), credential_(std::move(credential)) {}

  bool hasCredential() const noexcept { return credential_.has_value(); }

  /// The Authorization header for a scope ("repository:a/b:pull"); empty while nobody asked for it.
  std::string header(const std::string& scope);
  /// Learns from a 401: gets a token for `scope` where the registry uses them. The header is as it
  /// was if there is nothing more to show. Fails with LoginRequired (the token server refuses),
  /// Network, CorruptData (it is one that the registry may not name), InvalidArgument (the password
  /// would go to a server that neither is the registry's host nor was named by the user).
  Result<void> answer(const AuthChallenge& challenge, const std::string& scope,
                      const std::stop_token& stop);

 private:
  struct Token {
    std::string header;
    HttpClock::Milliseconds expiresAt{0};
  };
  Result<void> checkRealm(const std::string& realm) const;
  Result<void> checkPasswordTo(const std::string& realm) const;
  Result<Token> fetch(const AuthChallenge& challenge, const std::string& scope,
                      const std::stop_token& stop);

  HttpClient& client_;
  std::string registry_;
  std::optional<Credential> credential_;
  std::mutex mutex_;  // guards the two below
  bool usesBasic_ = false;
  std::map<std::string, Token> tokens_;  // by scope
};

}  // namespace strata::hub
