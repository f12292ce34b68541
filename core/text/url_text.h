#pragma once

#include <string>
#include <string_view>

namespace strata {

/// What stands between the scheme and the path of a URL: "bob:s3cret@proxy:3128". A text without a
/// scheme begins with it. It ends at a slash alone, so that what belongs to a password with a '?'
/// or '#' is not taken for something to show.
std::string_view authorityOf(std::string_view url) noexcept;

/// The user and password in front of an authority's last '@': "bob:s3cret"; empty if there are
/// none.
std::string_view userInfoOf(std::string_view url) noexcept;

/// A URL as people may see it: "http://bob:***@proxy:3128". What has no password is as it was.
std::string withoutPassword(std::string_view url);

}  // namespace strata
