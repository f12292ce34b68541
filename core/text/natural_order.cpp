#include "core/text/natural_order.h"

#include <algorithm>

namespace strata {
namespace {

bool isDigit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

/// Takes the digits off the front of `text`; without leading zeros.
std::string_view takeNumber(std::string_view& text) noexcept {
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

bool comesBefore(std::string_view left, std::string_view right) noexcept {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (isDigit(a.front()) && isDigit(b.front())) {
      const std::string_view one = takeNumber(a);
      const std::string_view other = takeNumber(b);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return left < right;
}

}  // namespace strata
