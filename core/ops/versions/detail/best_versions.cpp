#include "core/ops/versions/detail/best_versions.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/model/metric_direction.h"
#include "core/ops/runs/run_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

/// What --metric says: a name, and which way is better.
struct Wish {
  std::string metric;
  std::optional<bool> isMoreBetter = {};
};

Wish wishFrom(std::string_view text) {
  for (const auto& [ending, isMore] : {std::pair("=max", true), std::pair("=min", false)}) {
    if (!text.ends_with(ending)) continue;
    text.remove_suffix(std::string_view(ending).size());
    return {std::string(text), isMore};
  }
  return {std::string(text)};
}

struct Score {
  std::size_t at = 0;
  double value = 0;
  std::uint64_t age = 0;  ///< steps since it was logged
};

/// The scores of one metric, those of newer versions first.
struct Metric {
  std::vector<Score> scores = {};
  std::optional<bool> isMoreBetter = {};
  bool isInDoubt = false;  ///< more is better for an evaluator, and less for the trainer
};

using Metrics = std::map<std::string, Metric>;

/// The score of a metric that counts: on data that the settings were not chosen on, if there is
/// one.
std::map<std::string, double> storedScores(const Manifest& manifest) {
  std::map<std::string, double> scores;
  std::set<std::string> tested;
  for (const QualityScore& one : manifest.quality) {
    if (!std::isfinite(one.score)) continue;
    const bool isTest = one.data == "test";
    if (!isTest && tested.contains(one.metric)) continue;
    scores[one.metric] = one.score;
    if (isTest) tested.insert(one.metric);
  }
  return scores;
}

/// What the trainer logged up to a snapshot, also where its name of the metric begins with "eval_".
/// Fails where it cannot be read: that one might be the best.
Result<std::optional<TrainerState>> scoredState(const Store& store, const VersionEntry& version,
                                                const std::string& metric) {
  RunVersion read = readRunVersion(store, version, metric);
  if (read.problem) return fail(read.problem->within(version.label()));
  auto state = std::move(read.state);
  if (state && !state->score && !metric.empty()) {
    state = readRunVersion(store, version, "eval_" + metric).state;
  }
  const bool isScored = state && state->score && std::isfinite(*state->score);
  return isScored ? state : std::nullopt;
}

/// All of a run by one metric: what the trainer goes by at the newest snapshot that has a score.
Result<void> addLogged(const Store& store, std::span<const VersionEntry> newestFirst,
                       const Wish& wish, Metrics& metrics) {
  std::string name = wish.metric;
  for (std::size_t at = 0; at < newestFirst.size(); ++at) {
    STRATA_TRY(const auto state, scoredState(store, newestFirst[at], name));
    if (!state) continue;
    name = state->scoreName;
    Metric& metric = metrics[name];
    const auto isMore =
        state->isMoreBetter ? state->isMoreBetter : isMoreBetterByName(std::string(name));
    metric.isInDoubt =
        metric.isInDoubt || (metric.isMoreBetter && isMore && isMore != metric.isMoreBetter);
    if (!metric.isMoreBetter) metric.isMoreBetter = state->isMoreBetter;
    const std::uint64_t scored = state->scoreStep.value_or(0);
    const std::uint64_t age = scored < state->step ? state->step - scored : 0;
    metric.scores.push_back({at, *state->score, age});
  }
  return {};
}

Result<void> addStored(const Store& store, std::span<const VersionEntry> newestFirst,
                       const Wish& wish, Metrics& metrics) {
  for (std::size_t at = 0; at < newestFirst.size(); ++at) {
    const VersionEntry& version = newestFirst[at];
    if (!version.lossy) continue;
    const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
    if (!manifest) return fail(manifest.error().within(version.label()));
    for (const auto& [name, score] : storedScores(*manifest)) {
      if (!wish.metric.empty() && name != wish.metric) continue;
      metrics[name].scores.push_back({at, score});
      metrics[name].isMoreBetter = true;  // that is what a score of an evaluator is
    }
  }
  return {};
}

const Score& bestOf(const Metric& metric, bool isMoreBetter) {
  const Score* best = &metric.scores.front();
  for (const Score& one : metric.scores) {
    const bool isBetter = isMoreBetter ? one.value > best->value : one.value < best->value;
    if (isBetter || (one.value == best->value && one.age < best->age)) best = &one;
  }
  return *best;
}

Error directionUnknown(const std::string& run, const std::string& metric) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{}: nothing says whether more or less of \"{}\" is better; --metric {}=max "
                      "or --metric {}=min says it",
                      run, metric, metric, metric)};
}

}  // namespace

Result<std::vector<BestVersion>> bestVersions(const Store& store,
                                              std::span<const VersionEntry> newestFirst,
                                              const std::string& metric) {
  const Wish wish = wishFrom(metric);
  Metrics metrics;
  STRATA_TRY(addStored(store, newestFirst, wish, metrics));
  STRATA_TRY(addLogged(store, newestFirst, wish, metrics));
  if (metrics.empty()) {
    const std::string what = wish.metric.empty() ? "a score" : "a score \"" + wish.metric + "\"";
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: none of its versions has {}, so none is the best; scores come "
                            "from \"add --evaluator\", of a run from its trainer_state.json",
                            newestFirst.front().name, what));
  }
  std::vector<BestVersion> best;
  for (const auto& [name, one] : metrics) {
    auto isMore = wish.isMoreBetter ? wish.isMoreBetter : one.isMoreBetter;
    if (!isMore) isMore = isMoreBetterByName(name);
    if (one.isInDoubt && !wish.isMoreBetter) isMore.reset();
    if (!isMore) return fail(directionUnknown(newestFirst.front().name, name));
    const Score& found = bestOf(one, *isMore);
    best.push_back({found.at, name, found.value, *isMore});
  }
  return best;
}

}  // namespace strata
