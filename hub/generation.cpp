#include "hub/generation.h"

#include <fmt/format.h>

#include <charconv>

namespace strata::hub {
namespace {

constexpr std::size_t kDigits = 20;
constexpr std::uint64_t kHighest = 1'000'000'000'000;

}  // namespace

std::string generationName(std::uint64_t number) { return fmt::format("{:020}", number); }

std::uint64_t generationOf(std::string_view name) noexcept {
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, status] = std::from_chars(name.data(), end, number);
  const bool isNumber = name.size() == kDigits && stopped == end && status == std::errc{};
  return isNumber && number <= kHighest ? number : 0;
}

Error unreadableList(Error error) {
  if (error.code == ErrorCode::CorruptData) {
    error.message += "; push --repair writes the list of versions anew";
  }
  return error;
}

bool isOutdated(std::uint64_t number, std::uint64_t newest) noexcept {
  return number + kKeptGenerations <= newest;
}

bool arePagesOutdated(std::uint64_t number, std::uint64_t newest) noexcept {
  return number + kKeptInPages <= newest;
}

bool mayBePassed(std::uint64_t number, std::uint64_t newest) noexcept {
  return number + kKeptGenerations / 2 <= newest;
}

}  // namespace strata::hub
