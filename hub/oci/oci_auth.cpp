#include "hub/oci/oci_auth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/base64.h"
#include "hub/http/http_failure.h"
#include "hub/http/redaction.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What the specification says for tokens without a time.
constexpr std::uint64_t kDefaultLifeSeconds = 60;
constexpr std::uint64_t kMostLifeSeconds = 3600;

bool startsWithWord(std::string_view text, std::string_view word) noexcept {
  if (text.size() <= word.size() || text[word.size()] != ' ') return false;
  return std::equal(word.begin(), word.end(), text.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
}

/// The value of `key="value"` in a challenge.
std::string parameter(std::string_view header, std::string_view key) {
  const std::string sought = fmt::format("{}=\"", key);
  for (std::size_t at = header.find(sought); at != std::string_view::npos;
       at = header.find(sought, at + 1)) {
    if (at > 0 && header[at - 1] != ' ' && header[at - 1] != ',') continue;
    const std::string_view rest = header.substr(at + sought.size());
    return std::string(rest.substr(0, rest.find('"')));
  }
  return {};
}

std::string basic(const Credential& credential) {
  return "Basic " + encodeBase64(credential.user + ':' + credential.secret);
}

/// "&scope=…" for each of the words of a scope.
std::string scopeQuery(std::string_view scope) {
  std::string query;
  while (!scope.empty()) {
    const std::string_view word = scope.substr(0, scope.find(' '));
    scope.remove_prefix(std::min(word.size() + 1, scope.size()));
    query += "&scope=" + encodeSegment(word);
  }
  return query;
}

/// Registries the tokens of which are made on another host.
struct KnownRealm {
  std::string_view registry;
  std::string_view server;
};
constexpr std::array kRealms{KnownRealm{"docker.io", "auth.docker.io"},
                             KnownRealm{"index.docker.io", "auth.docker.io"},
                             KnownRealm{"registry-1.docker.io", "auth.docker.io"},
                             KnownRealm{"registry.gitlab.com", "gitlab.com"},
                             KnownRealm{"registry.digitalocean.com", "api.digitalocean.com"}};

/// Whether the list "REGISTRY=SERVER,…" has this pair.
bool namesRealm(std::string_view list, std::string_view registry, std::string_view server) {
  const std::string sought = fmt::format("{}={}", registry, server);
  while (!list.empty()) {
    std::string_view pair = list.substr(0, list.find(','));
    list.remove_prefix(std::min(pair.size() + 1, list.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    while (pair.ends_with(' ')) pair.remove_suffix(1);
    if (pair == sought) return true;
  }
  return false;
}

}  // namespace

AuthChallenge readChallenge(std::string_view header) {
  if (startsWithWord(header, "basic")) return {AuthChallenge::Kind::Basic, {}, {}, {}};
  if (!startsWithWord(header, "bearer")) return {};
  return {AuthChallenge::Kind::Bearer, parameter(header, "realm"), parameter(header, "service"),
          parameter(header, "scope")};
}

std::string OciAuth::header(const std::string& scope) {
  const std::lock_guard lock(mutex_);
  if (usesBasic_ && credential_) return basic(*credential_);
  const auto found = tokens_.find(scope);
  if (found == tokens_.end()) return {};
  if (found->second.expiresAt > client_.settings().clock->now()) return found->second.header;
  tokens_.erase(found);
  return {};
}

Result<void> OciAuth::answer(const AuthChallenge& challenge, const std::string& scope,
                             const std::stop_token& stop) {
  if (challenge.kind == AuthChallenge::Kind::None) return {};
  if (challenge.kind == AuthChallenge::Kind::Basic) {
    const std::lock_guard lock(mutex_);
    usesBasic_ = credential_.has_value();
    return {};
  }
  STRATA_TRY(Token token, fetch(challenge, scope, stop));
  const std::lock_guard lock(mutex_);
  tokens_[scope] = std::move(token);
  return {};
}

/// A registry may have its tokens made elsewhere, but not in a private network that it is not part
/// of itself, and not without encryption if it has it.
Result<void> OciAuth::checkRealm(const std::string& realm) const {
  const auto there = originOf(realm);
  STRATA_TRY(const Origin here, originOf(registry_));
  const bool isPlain = there && here.scheme == "https" && there->scheme != "https";
  const bool isInside = there && !isPrivateHost(here.host) && isPrivateHost(there->host);
  if (there && !isPlain && !isInside) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: sends us to {} for a token, which is not allowed", registry_,
                          redactUrl(realm)));
}

/// A password goes to the registry's own host, to a server that is known to make its tokens, or to
/// one that the user named.
Result<void> OciAuth::checkPasswordTo(const std::string& realm) const {
  STRATA_TRY(const Origin there, originOf(realm));
  STRATA_TRY(const Origin here, originOf(registry_));
  const std::string registry = hostOfUrl(registry_);
  const std::string server = hostOfUrl(realm);
  const auto isKnown = [&](const KnownRealm& one) {
    return registry == one.registry && server == one.server;
  };
  if (there.host == here.host || std::any_of(kRealms.begin(), kRealms.end(), isKnown) ||
      namesRealm(client_.settings().realms, registry, server)) {
    return {};
  }
  std::string named = client_.settings().realms;
  if (!named.empty()) named += ',';
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: wants its password sent to another server, {}; \"strata config set "
                          "oci.realms {}{}={}\" allows that",
                          registry_, redactUrl(realm), named, registry, server));
}

/// With a user and password a GET with Basic; with an identity token the OAuth form; as nobody a
/// GET without credentials.
Result<OciAuth::Token> OciAuth::fetch(const AuthChallenge& challenge, const std::string& scope,
                                      const std::stop_token& stop) {
  STRATA_TRY(checkRealm(challenge.realm));
  if (credential_) STRATA_TRY(checkPasswordTo(challenge.realm));
  HttpRequest request;
  if (credential_) request.secrets.push_back(credential_->secret);
  request.redirects = Redirects::SameOrigin;
  const std::string asked =
      fmt::format("service={}{}", encodeSegment(challenge.service), scopeQuery(scope));
  if (credential_ && credential_->isIdentityToken) {
    request.method = "POST";
    request.url = challenge.realm;
    request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    request.body = HttpBody{
        .text = fmt::format("grant_type=refresh_token&client_id=strata&refresh_token={}&{}",
                            encodeSegment(credential_->secret), asked)};
  } else {
    const char separator = challenge.realm.find('?') == std::string::npos ? '?' : '&';
    request.url = challenge.realm + separator + asked;
    if (credential_) request.authorization = basic(*credential_);
  }
  STRATA_TRY(const HttpResponse response, client_.send(request, stop));
  if (!response.succeeded()) return fail(failureOf(client_, response, "asking for a token"));
  STRATA_TRY(const nlohmann::json answer, parseJson(response.body, "the token server's answer"));
  auto token = textMember(answer, "token");
  if (!token || token->empty()) token = textMember(answer, "access_token");
  if (!token || token->empty() || token->find_first_of("\r\n") != std::string::npos) {
    return fail(ErrorCode::CorruptData, "the token server's answer has no token");
  }
  const std::uint64_t life =
      std::min(countMember(answer, "expires_in").value_or(kDefaultLifeSeconds), kMostLifeSeconds);
  return Token{"Bearer " + *token,
               client_.settings().clock->now() + milliseconds(seconds(life) * 9) / 10};
}

}  // namespace strata::hub
