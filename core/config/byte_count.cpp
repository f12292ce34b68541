#include "core/config/byte_count.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

namespace strata {
namespace {

/// Bytes of one unit; 0 where the unit is unknown.
double bytesOfUnit(std::string_view unit) noexcept {
  if (unit.empty() || unit == "b") return 1;
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return 0;
  const std::string_view rest = unit.substr(1);
  if (rest.empty() || rest == "b") return std::pow(1000.0, static_cast<double>(power + 1));
  if (rest == "ib") return std::pow(1024.0, static_cast<double>(power + 1));
  return 0;
}

}  // namespace

Result<std::uint64_t> parseByteCount(std::string_view text) {
  double amount = 0;
  const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), amount);
  std::string unit;
  for (const char* letter = stopped; letter != text.data() + text.size(); ++letter) {
    if (*letter == ' ' && unit.empty()) continue;
    unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*letter)));
  }
  const double bytes = amount * bytesOfUnit(unit);
  const bool isAmount = status == std::errc{} && std::isfinite(bytes) && bytes >= 0 &&
                        bytes < 9e18 && (bytes > 0 || amount == 0) && bytesOfUnit(unit) > 0;
  if (!isAmount) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("\"{}\" is not an amount of bytes such as 512MB or 2GiB", text));
  }
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace strata
