#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The known word that `word` was probably meant to be; empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// ". Did you mean \"restore\"?" or nothing.
std::string didYouMean(std::string_view word, std::span<const std::string> known);

}  // namespace strata
