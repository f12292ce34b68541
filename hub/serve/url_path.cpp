#include "hub/serve/url_path.h"

#include <algorithm>

#include "hub/http/percent_code.h"

namespace strata::hub {
namespace {

/// Of forms: a blank may be a '+'.
std::optional<std::string> decodedField(std::string_view text) {
  std::string field(text);
  std::replace(field.begin(), field.end(), '+', ' ');
  return decodePercent(field);
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
    auto key = decodedField(pair.substr(0, equals));
    auto value = decodedField(pair.substr(std::min(equals + 1, pair.size())));
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
    auto plain = decodePercent(segment);
    if (!plain) return std::nullopt;
    url.segments.push_back(*std::move(plain));
  }
  auto query = readForm(target.substr(std::min(mark + 1, target.size())));
  if (!query) return std::nullopt;
  url.query = *std::move(query);
  return url;
}

}  // namespace strata::hub
