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
  OciAuth(HttpClient& client, std::optional<Credential> credential)
      : client_(client), credential_(std::move(credential)) {}

  bool hasCredential() const noexcept { return credential_.has_value(); }

  /// The Authorization header for a scope ("repository:a/b:pull"); empty while nobody asked for it.
  std::string header(const std::string& scope);
  /// Learns from a 401: gets a token for `scope` where the registry uses them. False if there is
  /// nothing more to show. Fails with LoginRequired (the token server refuses), Network.
  Result<bool> answer(const AuthChallenge& challenge, const std::string& scope,
                      const std::stop_token& stop);

 private:
  struct Token {
    std::string header;
    HttpClock::Milliseconds expiresAt{0};
  };
  Result<Token> fetch(const AuthChallenge& challenge, const std::string& scope,
                      const std::stop_token& stop);

  HttpClient& client_;
  std::optional<Credential> credential_;
  std::mutex mutex_;  // guards the two below
  bool usesBasic_ = false;
  std::map<std::string, Token> tokens_;  // by scope
};

}  // namespace strata::hub
