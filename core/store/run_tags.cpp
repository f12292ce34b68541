#include "core/store/run_tags.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

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

/// What orders snapshots of one second: the step, else their own number.
std::uint64_t orderByTag(const VersionEntry& version) {
  if (const auto step = stepByTag(version)) return *step;
  std::optional<std::uint64_t> number;
  for (const std::string& tag : version.tags)
    number = std::max(number, numberAfter(tag, kSnapshot));
  return number.value_or(0);
}

bool isOlderByDate(const VersionEntry& a, const VersionEntry& b) {
  return std::tuple(a.addedAt, orderByTag(a), a.number) <
         std::tuple(b.addedAt, orderByTag(b), b.number);
}

bool isOlderByNumber(const VersionEntry& a, const VersionEntry& b) { return a.number < b.number; }

auto orderFor(std::span<const VersionEntry> versions) {
  const bool isByDate = std::any_of(versions.begin(), versions.end(), isWeightsOnly);
  return isByDate ? isOlderByDate : isOlderByNumber;
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

bool isSnapshotTag(std::string_view tag) {
  return numberAfter(tag, kStep) || numberAfter(tag, kSnapshot);
}

bool isSnapshot(const VersionEntry& version) {
  return std::any_of(version.tags.begin(), version.tags.end(), isSnapshotTag);
}

bool isWeightsOnly(const VersionEntry& version) {
  return version.lossy && version.profile == kWeightsOnly;
}

void sortByAge(std::vector<VersionEntry>& versions) {
  std::sort(versions.begin(), versions.end(), orderFor(versions));
}

const VersionEntry& newestOf(std::span<const VersionEntry> versions) {
  return *std::max_element(versions.begin(), versions.end(), orderFor(versions));
}

const VersionEntry& newestOfDate(std::span<const VersionEntry> versions) {
  return *std::max_element(versions.begin(), versions.end(), isOlderByDate);
}

}  // namespace strata
