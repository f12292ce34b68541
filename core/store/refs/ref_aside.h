#pragma once

#include <string_view>

namespace strata {

/// What several refs become (core/store/refs/ref_change.h), in the store's outermost folder.
inline constexpr const char* kChangeFile = "change.json";

/// What the name of a ref's file ends with after a repair has set it aside (RefFolder::setAside):
/// "v1.json.damaged", and "v1.json.damaged-2" where that is there already.
inline constexpr const char* kAsideEnd = ".damaged";

/// The name that a file had before it was set aside: "v1.json". Empty for other names.
constexpr std::string_view nameBeforeAside(std::string_view fileName) noexcept {
  const std::size_t end = fileName.rfind(kAsideEnd);
  if (end == fileName.npos) return {};
  const std::string_view copy = fileName.substr(end + std::string_view(kAsideEnd).size());
  const bool isCopy = copy.starts_with('-') && copy.size() > 1 &&
                      copy.find_first_not_of("0123456789", 1) == copy.npos;
  return copy.empty() || isCopy ? fileName.substr(0, end) : std::string_view();
}

}  // namespace strata
