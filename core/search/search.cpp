#include "core/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "core/search/grid_search.h"
#include "core/search/scale_search.h"
#include "core/search/trial_log.h"

namespace strata {
namespace {

/// By SearchMethod.
constexpr std::array<std::string_view, 5> kMethodNames = {"auto", "scale", "guided",
                                                          "neighbourhood", "fixed"};

/// How good a trial is, the smaller the better: its loss, or what stands for it.
double badness(const Trial& trial) noexcept {
  const auto& evaluation = trial.measured.evaluation;
  if (evaluation && evaluation->divergence) return *evaluation->divergence;
  if (trial.loss) return *trial.loss;
  return trial.measured.relativeError;
}

/// For people a loss in points says more than a divergence.
double lossOf(const Trial& trial) noexcept {
  return trial.loss ? *trial.loss : trial.measured.relativeError;
}

/// What is minimised among trials that meet the target.
double cost(const SearchTarget& target, const Trial& trial) noexcept {
  return target.bytes ? badness(trial) : static_cast<double>(trial.measured.storedBytes);
}

/// What is minimised where none does.
double distance(const SearchTarget& target, const Trial& trial) noexcept {
  if (target.bytes) return static_cast<double>(trial.measured.storedBytes);
  return target.error ? trial.measured.relativeError : trial.mostLoss.value_or(lossOf(trial));
}

/// Trials whose divergence is within this factor are about as good as each other.
constexpr double kAlike = 1.5;

/// Whether this trial and those a little better by the smooth score meet the target in the mean.
/// The score alone is noisy: the best of thirty is mostly luck, and luck does not hold on other
/// samples. It stands in for isLikelyToHold() where the evaluator gives a score alone.
bool isTypical(const std::vector<Trial>& trials, const Trial& trial, const SearchTarget& target) {
  const auto& evaluation = trial.measured.evaluation;
  if (!target.qualityLoss || !evaluation || !evaluation->divergence) return true;
  const double most = *evaluation->divergence;
  const double least = *evaluation->divergence / kAlike;
  std::set<std::pair<std::uint64_t, double>> seen;  // knobs that change nothing count once
  double sum = 0;
  for (const Trial& other : trials) {
    if (!other.failure.empty() || !other.loss || !other.measured.evaluation) continue;
    const auto divergence = other.measured.evaluation->divergence;
    if (!divergence || *divergence < least || *divergence > most) continue;
    if (!seen.emplace(other.measured.storedBytes, *divergence).second) continue;
    sum += *other.loss - allowedLoss(target, other);
  }
  return sum <= 0;
}

/// The measured trial of least cost among those that `isCandidate` takes.
template <typename Candidate, typename Cost>
std::optional<std::size_t> cheapest(const std::vector<Trial>& trials, Candidate isCandidate,
                                    Cost costOf) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].failure.empty() || !isCandidate(trials[i])) continue;
    if (!best || costOf(trials[i]) < costOf(trials[*best])) best = i;
  }
  return best;
}

/// From the smallest on, each trial that loses less than all smaller ones.
std::vector<std::size_t> frontierOf(const std::vector<Trial>& trials) {
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(trials[a].measured.storedBytes, lossOf(trials[a])) <
           std::pair(trials[b].measured.storedBytes, lossOf(trials[b]));
  });
  std::vector<std::size_t> frontier;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (!trials[i].failure.empty() || lossOf(trials[i]) >= least) continue;
    least = lossOf(trials[i]);
    frontier.push_back(i);
  }
  return frontier;
}

Result<void> checkTarget(const SearchTarget& target, SearchMethod method, bool hasScore) {
  const int count = (target.qualityLoss ? 1 : 0) + (target.bytes ? 1 : 0) + (target.error ? 1 : 0);
  if (count == 0 && method == SearchMethod::Fixed) return {};
  if (count != 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} targets, expected one of quality_loss, size, error", count));
  }
  if (target.qualityLoss && !hasScore) {
    return fail(ErrorCode::InvalidArgument,
                "a target of quality_loss needs an evaluator; without one: size or error");
  }
  return {};
}

/// Whether the large tensors go through `levels` on its uniform grid or `patterns`, which have
/// steps to scale.
bool hasSteps(const QuantizeSettings& settings) noexcept {
  return std::none_of(settings.rules.begin(), settings.rules.end(), [](const QuantizeRule& rule) {
    const std::string_view codec = rule.codec ? name(*rule.codec) : "levels";
    const bool isOther = codec != "levels" && codec != "patterns";
    return rule.match == "*" && !rule.kind && (isOther || rule.levelCount.value_or(0) > 0);
  });
}

/// `settings` with nothing of what has a parent changed. What they keep exactly stays exact.
QuantizeSettings withoutChange(QuantizeSettings settings) {
  const auto flatten = [](QuantizeRule& rule) {
    constexpr double kBeyondAll = 1e9;
    rule.codec = CodecId::Levels;
    rule.step = kBeyondAll;
    rule.levelCount = 0U;
    rule.rank = 0U;
  };
  settings.stepScale = 1;
  settings.rules.insert(settings.rules.begin(), QuantizeRule{});
  for (QuantizeRule& rule : settings.rules) {
    // What an optimizer keeps has nothing to do with the change.
    if (rule.kind && isOptimizerState(*rule.kind)) continue;
    if (!rule.codec || isLossy(*rule.codec)) flatten(rule);
  }
  return settings;
}

Result<void> runMethod(TrialLog& log, const SearchOptions& options) {
  SearchMethod method = options.method;
  if (method == SearchMethod::Auto) {
    method = hasSteps(options.start) ? SearchMethod::Scale : SearchMethod::Guided;
  }
  if (options.target.ofChange > 0) STRATA_TRY(log.runNoChange(withoutChange(options.start)));
  if (method == SearchMethod::Fixed) {
    STRATA_TRY(log.run(options.start, "as given"));
    return {};
  }
  // Few bytes may hold less than none do: coarse steps can lead away from the model.
  if (options.target.bytes)
    STRATA_TRY(log.run(withoutChange(options.start), std::string(kNoChange)));
  if (method == SearchMethod::Scale) return searchScale(log, options);
  if (method == SearchMethod::Guided) return searchGuided(log, options);
  return searchNeighbourhood(log, options);
}

}  // namespace

std::string_view name(SearchMethod method) noexcept {
  return kMethodNames[static_cast<std::size_t>(method)];
}

std::optional<SearchMethod> searchMethodFromName(std::string_view name) noexcept {
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<SearchMethod>(found - kMethodNames.begin());
}

Result<SearchReport> searchSettings(TrialSource& source, const SearchOptions& options,
                                    const std::stop_token& stop) {
  STRATA_TRY(checkTarget(options.target, options.method, source.reference() != nullptr));
  TrialLog log(source, options, stop);
  const Result<void> done = runMethod(log, options);
  if (!done && !log.isOver()) return fail(done.error());

  SearchReport report{.trials = {log.trials().begin(), log.trials().end()},
                      .end = log.end(),
                      .failure = log.failure()};
  const auto costOf = [&](const Trial& trial) { return cost(options.target, trial); };
  const auto distanceOf = [&](const Trial& trial) { return distance(options.target, trial); };
  const auto meetsIt = [](const Trial& trial) { return trial.meetsTarget; };
  const auto meetsItSoundly = [&](const Trial& trial) {
    if (!trial.meetsTarget) return false;
    return trial.mostLoss || isTypical(report.trials, trial, options.target);
  };
  const auto isAny = [](const Trial&) { return true; };
  report.best = cheapest(report.trials, meetsItSoundly, costOf);
  if (!report.best) report.best = cheapest(report.trials, meetsIt, costOf);
  if (!report.best) report.nearest = cheapest(report.trials, isAny, distanceOf);
  report.frontier = frontierOf(report.trials);
  const bool hasResult = report.best || report.nearest;
  if (!hasResult && report.end == SearchReport::End::EvaluatorFailed) {
    return fail(ErrorCode::Evaluator, report.failure);
  }
  if (!hasResult && report.end == SearchReport::End::Cancelled) {
    return fail(ErrorCode::Cancelled, "cancelled before the first trial was done");
  }
  return report;
}

}  // namespace strata
