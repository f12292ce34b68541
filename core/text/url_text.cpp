#include "core/text/url_text.h"

#include <algorithm>

namespace strata {

std::string withoutPassword(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t first = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(url.find('/', first), url.size());
  const std::size_t end = url.substr(0, path).rfind('@');
  const std::size_t colon = url.find(':', first);
  if (end == std::string_view::npos || end < first || colon >= end) return std::string(url);
  return std::string(url.substr(0, colon + 1)) + "***" + std::string(url.substr(end));
}

}  // namespace strata
