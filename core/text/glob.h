#pragma once

#include <span>
#include <string>
#include <string_view>

namespace strata {

/// Whether the whole of `text` matches `pattern`: '*' stands for any characters, '?' for one, all
/// others for themselves. Linear in both for each '*'.
bool matchesGlob(std::string_view text, std::string_view pattern) noexcept;

/// Whether one of `patterns` matches, or there is none.
bool matchesAnyGlob(std::string_view text, std::span<const std::string> patterns) noexcept;

/// The first of `patterns` that matches none of `texts`; null if each matches one.
const std::string* unmatchedGlob(std::span<const std::string> patterns,
                                 std::span<const std::string_view> texts) noexcept;

}  // namespace strata
