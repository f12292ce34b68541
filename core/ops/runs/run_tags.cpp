#include "core/ops/runs/run_tags.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace strata {
namespace {

constexpr std::string_view kStep = "step-";
constexpr std::string_view kSnapshot = "snapshot-";

std::optional<std::uint64_t> numberAfter(std::string_view tag, std::string_view start) {
  if (!tag.starts_with(start)) return std::nullopt;
  tag.remove_prefix(start.size());
  std::uint64_t number = 0;
  const auto [stopped, status] = std::from_chars(tag.data(), tag.data() + tag.size(), number);
  const bool isWhole = status == std::errc{} && stopped == tag.data() + tag.size();
  return isWhole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string stepTag(std::uint64_t step) { return std::string(kStep) + std::to_string(step); }

std::string snapshotTag(std::uint64_t number) {
  return std::string(kSnapshot) + std::to_string(number);
}

std::optional<std::uint64_t> stepByTag(const VersionEntry& version) {
  std::optional<std::uint64_t> step;
  for (const std::string& tag : version.tags) step = std::max(step, numberAfter(tag, kStep));
  return step;
}

bool isSnapshot(const VersionEntry& version) {
  return std::any_of(version.tags.begin(), version.tags.end(), [](const std::string& tag) {
    return numberAfter(tag, kStep) || numberAfter(tag, kSnapshot);
  });
}

}  // namespace strata
