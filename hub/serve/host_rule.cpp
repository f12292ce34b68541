#include "hub/serve/host_rule.h"

#include <algorithm>
#include <cctype>

#include "hub/http/url.h"

namespace strata::hub {
namespace {

/// "Example.org:80" and "[::1]:80" without port, brackets, case and the root's dot.
std::string bareName(std::string_view host) {
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else if (std::count(host.begin(), host.end(), ':') == 1) {
    host = host.substr(0, host.find(':'));
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string name(host);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name;
}

}  // namespace

HostRule::HostRule(std::string listen, std::vector<std::string> names)
    : checks_(isLoopbackHost(listen) || !names.empty()), names_(std::move(names)) {
  names_.push_back(std::move(listen));
  for (std::string& name : names_) name = bareName(name);
}

bool HostRule::allows(std::string_view header) const {
  if (!checks_ || header.empty()) return true;
  const std::string name = bareName(header);
  return isLoopbackHost(name) || std::find(names_.begin(), names_.end(), name) != names_.end();
}

}  // namespace strata::hub
