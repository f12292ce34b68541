#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "hub/http/http_client.h"
#include "hub/http/url.h"

namespace strata::hub {

/// A proxy, and who named it.
struct Proxy {
  std::string url;    ///< may hold a password: not for texts
  std::string setBy;  ///< "the setting proxy", "https_proxy"

  /// "proxy.example.org:3128".
  std::string place() const;
  /// Empty if its URL has none.
  std::string password() const;
};

/// The proxy for requests to `origin`, but for what no_proxy excepts: that of the settings, else
/// that of the environment, which is not asked for this machine's own servers.
std::optional<Proxy> proxyFor(const HttpSettings& settings, const Origin& origin);

/// What a proxy's 407 means and where its user and password go. Network, since no account of a
/// remote is concerned. `action` as in failureOf().
Error proxyRefusal(const HttpSettings& settings, const std::string& url, std::string_view action);

}  // namespace strata::hub
