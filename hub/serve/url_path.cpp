#include "hub/serve/url_path.h"

#include "core/text/hex_digit.h"

namespace strata::hub {
namespace {

std::optional<std::string> decoded(std::string_view text, bool isForm) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isForm && c == '+') c = ' ';
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hexDigit(text[i + 1]);
      const int low = hexDigit(text[i + 2]);
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    plain += c;
  }
  return plain;
}

}  // namespace

std::string_view UrlPath::value(std::string_view key) const noexcept {
  for (const auto& [name, text] : query) {
    if (name == key) return text;
  }
  return {};
}

std::string UrlPath::joined(std::size_t first) const {
  std::string path;
  for (std::size_t i = first; i < segments.size(); ++i) {
    if (i > first) path += '/';
    path += segments[i];
  }
  return path;
}

std::optional<std::vector<std::pair<std::string, std::string>>> readForm(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto key = decoded(pair.substr(0, equals), true);
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!key || !value) return std::nullopt;
    if (!key->empty()) pairs.emplace_back(*std::move(key), *std::move(value));
  }
  return pairs;
}

std::optional<UrlPath> readUrlPath(std::string_view target) {
  UrlPath url;
  const std::size_t mark = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, mark);
  while (!path.empty()) {
    path.remove_prefix(path.front() == '/' ? 1 : 0);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    auto plain = decoded(segment, false);
    if (!plain) return std::nullopt;
    url.segments.push_back(*std::move(plain));
  }
  auto query = readForm(target.substr(std::min(mark + 1, target.size())));
  if (!query) return std::nullopt;
  url.query = *std::move(query);
  return url;
}

}  // namespace strata::hub
