#pragma once

#include <string>
#include <string_view>

namespace strata {

/// A URL as people may see it: "http://bob:***@proxy:3128". What has no password is as it was.
std::string withoutPassword(std::string_view url);

}  // namespace strata
