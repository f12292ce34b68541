#include "core/text/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace strata {
namespace {

/// Edits from one word to the other; two swapped neighbours count as one.
std::size_t editDistance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> older;
  std::vector<std::size_t> last(right.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t row = 1; row <= left.size(); ++row) {
    std::vector<std::size_t> now(right.size() + 1, row);
    for (std::size_t column = 1; column <= right.size(); ++column) {
      const std::size_t replace = left[row - 1] == right[column - 1] ? 0 : 1;
      now[column] = std::min({last[column] + 1, now[column - 1] + 1, last[column - 1] + replace});
      const bool isSwap = row > 1 && column > 1 && left[row - 1] == right[column - 2] &&
                          left[row - 2] == right[column - 1];
      if (isSwap) now[column] = std::min(now[column], older[column - 2] + 1);
    }
    older = std::exchange(last, std::move(now));
  }
  return last.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  const std::size_t tolerance = word.size() < 4 ? 1 : word.size() < 8 ? 2 : 3;
  std::size_t best = tolerance + 1;
  std::string found;
  for (const std::string& candidate : known) {
    const bool isBeginning = word.size() > 2 && candidate.starts_with(word);
    const std::size_t distance = isBeginning ? 1 : editDistance(word, candidate);
    // A two-letter word must share a letter with what it is taken for.
    if (distance >= best || distance >= std::max(word.size(), candidate.size())) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string didYouMean(std::string_view word, std::span<const std::string> known) {
  const std::string found = nearest(word, known);
  return found.empty() ? std::string{} : ". Did you mean \"" + found + "\"?";
}

}  // namespace strata
