#include "core/ops/runs/detail/resume_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

Result<std::vector<RunVersion>> theOnly(const std::vector<RunVersion>& snapshots,
                                        const VersionEntry& only,
                                        std::optional<std::uint64_t> step) {
  const auto at = std::ranges::find(snapshots, only.number,
                                    [](const RunVersion& one) { return one.version.number; });
  if (at == snapshots.end()) {
    return fail(ErrorCode::NotFound, fmt::format("{}: is no snapshot of a training; the run has {}",
                                                 only.label(), listedSnapshots(snapshots)));
  }
  if (step && at->step != step) {
    const std::string own = at->step ? fmt::format("of step {}", *at->step) : "of no known step";
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: is {}, and not of step {}", only.label(), own, *step));
  }
  return std::vector{*at};
}

}  // namespace

Result<bool> namesOneVersion(std::string_view reference) {
  STRATA_TRY(const Reference parsed, parseReference(reference));
  return parsed.kind != Reference::Kind::Newest;
}

Result<std::vector<RunVersion>> snapshotsMeant(const std::vector<RunVersion>& snapshots,
                                               const std::optional<VersionEntry>& only,
                                               std::optional<std::uint64_t> step) {
  if (only) return theOnly(snapshots, *only, step);
  if (!step) return snapshots;
  std::vector<RunVersion> ofStep;
  for (const RunVersion& one : snapshots) {
    if (one.step == step) ofStep.push_back(one);
  }
  if (ofStep.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("{}: has no snapshot of step {}; it has {}",
                            snapshots.front().version.name, *step, listedSnapshots(snapshots)));
  }
  std::stable_partition(ofStep.begin(), ofStep.end(), [&](const RunVersion& one) {
    return std::ranges::find(one.version.tags, stepTag(*step)) != one.version.tags.end();
  });
  return ofStep;
}

std::string listedSnapshots(const std::vector<RunVersion>& snapshots) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> words;
  for (const RunVersion& one : snapshots) {
    const std::string word = one.step ? std::to_string(*one.step) : one.version.label();
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  const bool areSteps =
      std::ranges::any_of(snapshots, [](const auto& one) { return one.step.has_value(); });
  const std::string_view kind = !areSteps ? "" : words.size() == 1 ? "step " : "steps ";
  const std::size_t more = words.size() - std::min(words.size(), kMostNamed);
  words.resize(words.size() - more);
  return fmt::format("{}{}{}", kind, fmt::join(words, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace strata
