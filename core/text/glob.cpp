#include "core/text/glob.h"

#include <algorithm>

namespace strata {

bool matchesGlob(std::string_view text, std::string_view pattern) noexcept {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = pattern.npos;  // place after the last '*', to go back to
  std::size_t resume = 0;           // where in the text that star would match one more
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool matchesAnyGlob(std::string_view text, std::span<const std::string> patterns) noexcept {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const auto& one) { return matchesGlob(text, one); });
}

const std::string* unmatchedGlob(std::span<const std::string> patterns,
                                 std::span<const std::string_view> texts) noexcept {
  const auto found = std::find_if(patterns.begin(), patterns.end(), [&](const auto& pattern) {
    return std::none_of(texts.begin(), texts.end(),
                        [&](std::string_view text) { return matchesGlob(text, pattern); });
  });
  return found == patterns.end() ? nullptr : &*found;
}

}  // namespace strata
