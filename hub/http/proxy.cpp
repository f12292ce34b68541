#include "hub/http/proxy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/text/url_text.h"

namespace strata::hub {
namespace {

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
  const std::string_view info = userInfoOf(url);
  const std::size_t colon = info.find(':');
  return std::string(info.substr(colon == std::string_view::npos ? info.size() : colon + 1));
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
