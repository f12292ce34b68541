#include "core/text/url_text.h"

namespace strata {

std::string_view authorityOf(std::string_view url) noexcept {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

std::string_view userInfoOf(std::string_view url) noexcept {
  const std::string_view authority = authorityOf(url);
  const std::size_t end = authority.rfind('@');
  return authority.substr(0, end == std::string_view::npos ? 0 : end);
}

std::string withoutPassword(std::string_view url) {
  const std::string_view info = userInfoOf(url);
  const std::size_t colon = info.find(':');
  std::string shown(url);
  if (colon == std::string_view::npos) return shown;
  const std::string_view password = info.substr(colon + 1);
  return shown.replace(static_cast<std::size_t>(password.data() - url.data()), password.size(),
                       "***");
}

}  // namespace strata
