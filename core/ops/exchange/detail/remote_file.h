#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace strata {

/// Where a store keeps what it knows of a remote: `remotes/NAME` and `ending`. `name` is that of a
/// remote of the store, or a URL. Names begin with no dot, so neither takes the other's file.
std::filesystem::path remoteFile(const std::filesystem::path& storeFolder, const std::string& name,
                                 std::string_view ending);

}  // namespace strata
