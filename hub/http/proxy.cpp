#include "hub/http/proxy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace strata::hub {
namespace {

/// "user:password@host:port" of a URL.
std::string_view authorityOf(std::string_view url) noexcept {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

}  // namespace

std::string Proxy::place() const {
  const std::string_view authority = authorityOf(url);
  return std::string(authority.substr(authority.rfind('@') + 1));
}

std::string Proxy::password() const {
  const std::string_view authority = authorityOf(url);
  const std::size_t end = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (end == std::string_view::npos || colon >= end) return {};
  return std::string(authority.substr(colon + 1, end - colon - 1));
}

std::optional<Proxy> proxyFor(const HttpSettings& settings, const Origin& origin) {
  if (!settings.proxy.empty()) return Proxy{settings.proxy, "the setting proxy"};
  if (isLoopbackHost(origin.host)) return std::nullopt;
  // In capitals HTTP_PROXY may be a header that a web server was given.
  const bool isPlain = origin.scheme == "http";
  for (const char* name : {isPlain ? "http_proxy" : "https_proxy", isPlain ? "" : "HTTPS_PROXY",
                           "all_proxy", "ALL_PROXY"}) {
    if (std::string url = variable(name); !url.empty()) return Proxy{std::move(url), name};
  }
  return std::nullopt;
}

Error proxyRefusal(const HttpSettings& settings, const std::string& url, std::string_view action) {
  const auto origin = originOf(url);
  const auto proxy = origin ? proxyFor(settings, *origin) : std::nullopt;
  const std::string who =
      proxy ? fmt::format("the proxy {} ({})", proxy->place(), proxy->setBy) : "a proxy on the way";
  const bool wasTold = proxy && !proxy->password().empty();
  return {ErrorCode::Network,
          fmt::format("{}: {} {} (407 Proxy Authentication Required); they stand in its URL, as in "
                      "STRATA_PROXY=http://USER:PASSWORD@{}",
                      action, who,
                      wasTold ? "refuses the user and password that it was given"
                              : "wants a user and a password",
                      proxy ? proxy->place() : "HOST:PORT")};
}

}  // namespace strata::hub
