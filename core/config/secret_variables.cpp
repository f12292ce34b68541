#include "core/config/secret_variables.h"

#include <algorithm>
#include <array>

namespace strata {
namespace {

constexpr std::array<std::string_view, 10> kSecrets{"HF_TOKEN",
                                                    "HUGGING_FACE_HUB_TOKEN",
                                                    "AWS_ACCESS_KEY_ID",
                                                    "AWS_SECRET_ACCESS_KEY",
                                                    "AWS_SESSION_TOKEN",
                                                    "AWS_SECURITY_TOKEN",
                                                    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                                                    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                                    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                                    "STRATA_SERVE_TOKEN"};
constexpr std::string_view kTokens = "STRATA_TOKEN_";
/// Names in all small or all capital letters; other spellings are not looked for.
constexpr std::array<std::string_view, 7> kProxies{"STRATA_PROXY", "http_proxy", "https_proxy",
                                                   "all_proxy",    "HTTP_PROXY", "HTTPS_PROXY",
                                                   "ALL_PROXY"};

}  // namespace

bool holdsSecret(std::string_view entry) noexcept {
  const std::size_t equals = entry.find('=');
  if (equals == entry.npos || equals + 1 == entry.size()) return false;
  const std::string_view name = entry.substr(0, equals);
  if (std::find(kProxies.begin(), kProxies.end(), name) != kProxies.end()) {
    return entry.find('@', equals) != entry.npos;
  }
  return name.starts_with(kTokens) ||
         std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end();
}

}  // namespace strata
