#include "cli/views/time_text.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>

namespace strata::cli {
namespace {

/// Seconds of "14d"; negative where the text is something else.
std::int64_t secondsOfSpan(std::string_view text) noexcept {
  std::int64_t count = -1;
  const auto [stopped, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (status != std::errc{} || count < 0 || count > 1'000'000) return -1;
  const std::string_view unit(stopped,
                              static_cast<std::size_t>(text.data() + text.size() - stopped));
  constexpr std::int64_t kMinute = 60;
  if (unit == "m") return count * kMinute;
  if (unit == "h") return count * 60 * kMinute;
  if (unit == "d") return count * 24 * 60 * kMinute;
  if (unit == "w") return count * 7 * 24 * 60 * kMinute;
  return -1;
}

}  // namespace

std::int64_t secondsNow() noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::int64_t> parseMoment(std::string_view text, std::int64_t nowSeconds) {
  if (const std::int64_t span = secondsOfSpan(text); span >= 0) return nowSeconds - span;
  const std::string whole(text);
  for (const char* format :
       {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* end = ::strptime(whole.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    parts.tm_isdst = -1;
    const bool isUtc = std::strchr(format, 'Z') != nullptr;
    return isUtc ? ::timegm(&parts) : std::mktime(&parts);
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is not a date such as 2026-03-01 or an age such as 14d", text));
}

}  // namespace strata::cli
