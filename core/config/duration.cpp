#include "core/config/duration.h"

#include <fmt/format.h>

#include <charconv>

namespace strata {
namespace {

constexpr std::int64_t kMostSeconds = std::int64_t{1} << 32;

/// Seconds of a unit; 0 for what is none.
std::int64_t secondsOf(char unit) noexcept {
  return unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 0;
}

}  // namespace

Result<std::chrono::seconds> parseDuration(std::string_view text) {
  const auto refuse = [&] {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("\"{}\" is no time; expected such as 90s, 5m, 1h30m", text));
  };
  if (text.empty()) return refuse();
  std::int64_t total = 0;
  for (std::string_view left = text; !left.empty();) {
    std::int64_t count = 0;
    const auto [end, status] = std::from_chars(left.data(), left.data() + left.size(), count);
    if (status != std::errc{} || count < 0 || count > kMostSeconds) return refuse();
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    const bool isBare = left.empty() && total == 0;
    const std::int64_t unit = isBare ? 1 : left.empty() ? 0 : secondsOf(left.front());
    if (unit == 0) return refuse();
    if (!isBare) left.remove_prefix(1);
    total += count * unit;
    if (total > kMostSeconds) return refuse();
  }
  return std::chrono::seconds(total);
}

std::string durationText(std::chrono::seconds duration) {
  const auto count = duration.count();
  if (count > 0 && count % 3600 == 0) return fmt::format("{}h", count / 3600);
  if (count > 0 && count % 60 == 0) return fmt::format("{}m", count / 60);
  return fmt::format("{}s", count);
}

}  // namespace strata
