#include "core/text/wording.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace strata {
namespace {

/// Local or UTC calendar time in the given form.
std::string formatTime(std::int64_t seconds, const char* form, bool utc) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if ((utc ? ::gmtime_r(&time, &parts) : ::localtime_r(&time, &parts)) == nullptr) return "-";
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &parts)};
}

std::string percent(double share, bool withSign) {
  const double value = share * 100;
  const double size = std::abs(value);
  const int digits = size < 9.95 && size != 0 ? 1 : 0;
  return withSign ? fmt::format("{:+.{}f} %", value, digits)
                  : fmt::format("{:.{}f} %", value, digits);
}

}  // namespace

std::string wordBytes(std::uint64_t byteCount) {
  if (byteCount < 1000) return fmt::format("{} B", byteCount);
  const auto value = static_cast<double>(byteCount);
  // The limits are where rounding would print 1000.0 of the smaller unit.
  if (value < 999'950) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 999'950'000) return fmt::format("{:.1f} MB", value / 1e6);
  if (value < 999'995e6) return fmt::format("{:.2f} GB", value / 1e9);
  return fmt::format("{:.2f} TB", value / 1e12);
}

std::string wordBytesChange(std::int64_t byteCount) {
  if (byteCount == 0) return "0 B";
  const auto magnitude = static_cast<std::uint64_t>(byteCount);
  return byteCount < 0 ? "-" + wordBytes(0 - magnitude) : "+" + wordBytes(magnitude);
}

std::string wordRatio(double ratio) {
  if (!std::isfinite(ratio) || ratio <= 0) return "-";
  return ratio < 99.95 ? fmt::format("{:.1f}x", ratio) : fmt::format("{:.0f}x", ratio);
}

std::string wordShare(double share) {
  if (!std::isfinite(share)) return "-";
  if (share > 0 && share < 0.0005) return "<0.1 %";
  if (share < 1 && share >= 0.995) return fmt::format("{} %", std::floor(share * 1000) / 10);
  return percent(share, false);
}

std::string wordShareChange(double share) {
  if (!std::isfinite(share)) return "-";
  return percent(share, true);
}

std::string wordError(double error) {
  if (error == 0) return "0";
  if (!std::isfinite(error)) return "inf";
  if (error < 0.0005) return fmt::format("{:.1e}", error);
  if (error < 0.01) return fmt::format("{:.2g}", error);
  if (error < 10) return fmt::format("{:.3f}", error);
  if (error >= 1e6) return fmt::format("{:.1e}", error);
  return fmt::format("{:.0f}", error);
}

std::string wordDuration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  const std::int64_t hours = whole / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
}

std::string wordElapsed(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(seconds, 0.0));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string wordRate(double bytesPerSecond) {
  const double rate = std::isfinite(bytesPerSecond) ? std::max(bytesPerSecond, 0.0) : 0;
  return wordBytes(static_cast<std::uint64_t>(std::min(rate, 1e18))) + "/s";
}

std::string wordShape(std::span<const std::uint64_t> shape) {
  if (shape.empty()) return "scalar";
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string wordCount(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string wordDate(std::int64_t seconds) { return formatTime(seconds, "%Y-%m-%d %H:%M", false); }

std::string isoDate(std::int64_t seconds) {
  return formatTime(seconds, "%Y-%m-%dT%H:%M:%SZ", true);
}

}  // namespace strata
