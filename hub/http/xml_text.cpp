#include "hub/http/xml_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace strata::hub {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 7> kEntities{{{"&amp;", '&'},
                                                                      {"&lt;", '<'},
                                                                      {"&gt;", '>'},
                                                                      {"&quot;", '"'},
                                                                      {"&apos;", '\''},
                                                                      {"&#34;", '"'},
                                                                      {"&#39;", '\''}}};

std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    std::size_t taken = 1;
    char letter = text.front();
    for (const auto& [entity, value] : kEntities) {
      if (!text.starts_with(entity)) continue;
      taken = entity.size();
      letter = value;
    }
    plain += letter;
    text.remove_prefix(taken);
  }
  return plain;
}

}  // namespace

std::vector<std::string_view> xmlElements(std::string_view document, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag);
  const std::string close = fmt::format("</{}>", tag);
  std::vector<std::string_view> found;
  for (std::size_t at = document.find(open); at != std::string_view::npos;
       at = document.find(open, at)) {
    at += open.size();
    const std::size_t end = document.find(close, at);
    if (end == std::string_view::npos) break;
    found.push_back(document.substr(at, end - at));
    at = end + close.size();
  }
  return found;
}

std::string xmlText(std::string_view document, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag);
  const std::size_t at = document.find(open);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = document.substr(at + open.size());
  return unescaped(rest.substr(0, rest.find('<')));
}

}  // namespace strata::hub
