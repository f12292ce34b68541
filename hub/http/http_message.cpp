#include "hub/http/http_message.h"

#include <strings.h>

#include <algorithm>

namespace strata::hub {

void HttpHeaders::add(std::string name, std::string value) {
  lines_.emplace_back(std::move(name), std::move(value));
}

const std::string* HttpHeaders::find(std::string_view name) const noexcept {
  const auto found = std::find_if(lines_.rbegin(), lines_.rend(), [&](const Line& line) {
    return line.first.size() == name.size() &&
           ::strncasecmp(line.first.data(), name.data(), name.size()) == 0;
  });
  return found == lines_.rend() ? nullptr : &found->second;
}

std::string_view HttpHeaders::value(std::string_view name) const noexcept {
  const std::string* const found = find(name);
  return found == nullptr ? std::string_view{} : std::string_view(*found);
}

}  // namespace strata::hub
