#include "hub/http/retry_policy.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <string_view>

namespace strata::hub {
namespace {

using Milliseconds = HttpClock::Milliseconds;

/// Leading digits of `text` as seconds; nothing if there are none.
std::optional<Milliseconds> secondsAt(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first);
  std::uint32_t seconds = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (status != std::errc{}) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// The number after `key` in `"api";r=0;t=55`.
std::optional<Milliseconds> fieldOf(std::string_view value, std::string_view key) {
  const std::size_t place = value.find(key);
  if (place == std::string_view::npos) return std::nullopt;
  return secondsAt(value.substr(place + key.size()));
}

}  // namespace

bool isWorthARetry(int status) noexcept {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
         status == 504;
}

std::optional<Milliseconds> askedWait(const HttpHead& head) {
  const std::string_view limit = head.headers.value("RateLimit");
  const auto left = fieldOf(limit, ";r=");
  const auto reset = fieldOf(limit, ";t=");
  if (head.status == 429 && left && reset && left->count() == 0) {
    return *reset + std::chrono::seconds(1);
  }
  return secondsAt(head.headers.value("Retry-After"));
}

Milliseconds waitBefore(unsigned next, const RetryPolicy& policy,
                        std::optional<Milliseconds> asked) {
  if (asked) return *asked;
  const unsigned doublings = std::min(next - 2, 20U);
  const Milliseconds top = std::min(policy.most, policy.first * (1U << doublings));
  thread_local std::minstd_rand random{std::random_device{}()};
  return Milliseconds(std::uniform_int_distribution<std::int64_t>(0, top.count())(random));
}

}  // namespace strata::hub
