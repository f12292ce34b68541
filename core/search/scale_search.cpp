#include "core/search/scale_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/search/bound_search.h"
#include "core/search/kind_knobs.h"
#include "core/search/search_beliefs.h"
#include "core/search/search_forecast.h"
#include "core/search/search_knobs.h"
#include "core/search/settings_text.h"
#include "core/search/size_fit.h"
#include "core/search/trial_gate.h"

namespace strata {
namespace {

constexpr double kWidestScale = 64;          // the multiplier stays within its inverse and this
constexpr double kFinestForError = 1 << 16;  // its inverse, for a target of error
constexpr int kFarthest = 35;                // of one trial from the best one, in these
constexpr double kLikely = 0.35;             // chance to pass that a trial should have
constexpr double kUnlikely = 0.05;           // and must have, where no other is left
constexpr double kWorthSecond = 0.6;         // of the gain of the first of a round
constexpr double kLeastGain = 0.0005;  // bytes that a trial should save, in logarithms, to go on
constexpr unsigned kMostWarmUp = 6;
constexpr double kNearEnough = 0.2;  // to the limit, in logarithms of the loss
constexpr int kMostTurns = 6;        // of knobs, from the best trial to the next
constexpr double kWorthTurn = 0.02;  // what each should gain, in logarithms: little is luck
/// Trials that are chosen together, however many evaluators there are: a search finds the same.
constexpr std::size_t kAtOnce = 2;

/// Part of the loss that a target allows, in logarithms.
double logShare(const SearchTarget& target, const Trial& trial) {
  constexpr double kUnknown = -10;
  const double allowed = allowedLoss(target, trial);
  if (!target.qualityLoss || allowed <= 0 || !trial.loss) return kUnknown;
  const double loss = std::max({trial.mostLoss.value_or(*trial.loss), *trial.loss, 0.0});
  return std::log(std::max(loss / allowed, std::exp(kUnknown)));
}

class ScaleSearch {
 public:
  ScaleSearch(TrialLog& log, const SearchOptions& options)
      : log_(log),
        options_(options),
        start_(withKindRules(options.start, kindsOf(options))),
        space_(knobsOf(start_, options, log.hasScore())) {}

  Result<void> run() {
    STRATA_TRY(warmUp());
    if (space_.groups.empty()) return {};  // a model of integers: no step changes anything
    const bool hasPassed =
        std::any_of(seen_.begin(), seen_.end(), [](const SeenPoint& seen) { return seen.passes; });
    if (options_.target.error && !hasPassed) {
      STRATA_TRY(searchBound(log_, options_));
      // What steps are far from turning knobs does not reach.
      if (center().loss > gate().limit + kNearEnough) return {};
    }
    if (options_.target.error && hasPassed) STRATA_TRY(fillGap());
    STRATA_TRY(probe());
    while (true) {
      std::vector<SearchPoint> points;
      STRATA_TRY(points, nextPoints());
      const std::size_t before = log_.trials().size();
      if (!points.empty()) STRATA_TRY(tryAll(points));
      if (log_.trials().size() == before) return {};  // nothing new is left
    }
  }

 private:
  static std::vector<TensorKind> kindsOf(const SearchOptions& options) {
    std::vector<TensorKind> kinds;
    for (const KindShare& part : options.kinds) kinds.push_back(part.kind);
    return kinds;
  }

  Result<void> warmUp();
  Result<void> warmUpBySize(const SearchPoint& start);
  Result<void> fillGap();
  Result<void> probe();
  template <typename Foresee>
  std::optional<Forecast> climbed(const SearchPoint& from, double worthTurn, Foresee foresee) const;
  std::optional<Forecast> chosen(const Surroundings& around) const;
  Result<std::optional<Forecast>> chosenBySize(const SeenPoint& best, const TrialGate& gate);
  Result<std::vector<SearchPoint>> nextPoints();
  Result<void> tryAll(const std::vector<SearchPoint>& points);
  Result<SearchPoint> fitted(SearchPoint point);

  /// The logarithm of the least multiplier.
  double finest() const noexcept {
    return -std::log(options_.target.error ? kFinestForError : kWidestScale);
  }
  bool fitsBytes() const noexcept { return options_.target.bytes.has_value(); }
  QuantizeSettings settingsOf(const SearchPoint& point) const {
    QuantizeSettings settings = turned(start_, space_.knobs, point.notches);
    settings.stepScale = toFiveDigits(std::exp(point.scale));
    return settings;
  }
  /// What a point's settings are but for the multiplier.
  std::string keyOf(const SearchPoint& point) const {
    return settingsText(turned(start_, space_.knobs, point.notches));
  }
  TrialGate gate() const;
  const SeenPoint& center() const;
  SearchBeliefs beliefsAround(const SeenPoint& origin, const TrialGate& gate) const {
    return {space_, origin, seen_, sized_, expected_, gate, log_.hasScore()};
  }
  std::vector<SearchPoint> turnsOf(const SearchPoint& point, const SearchPoint& from) const;
  bool isNearTried(std::size_t knob, int notches) const;
  bool isNew(const SearchPoint& point, const std::string& key) const;
  bool isKnown(const SearchPoint& point, const Measured& measured);
  double nextScale(const TrialGate& gate) const;
  static bool isIdle(const SeenPoint& a, const SeenPoint& b) noexcept {
    constexpr double kLeastPower = 0.15;  // of the multiplier, that bytes fall with
    return std::abs(a.bytes - b.bytes) < kLeastPower * std::abs(a.point.scale - b.point.scale);
  }

  TrialLog& log_;
  const SearchOptions& options_;
  const QuantizeSettings start_;
  const KnobSpace space_;
  std::vector<SeenPoint> seen_;
  std::vector<SizedPoint> sized_;             ///< considered, but not tried so far
  std::vector<SeenPoint> expected_;           ///< chosen but not measured, as they should be
  std::multimap<std::string, double> tried_;  ///< multipliers by keyOf()
};

Result<void> ScaleSearch::tryAll(const std::vector<SearchPoint>& points) {
  std::vector<Wish> wishes;
  for (const SearchPoint& point : points) {
    wishes.push_back({settingsOf(point), fmt::format("step scale {:.3g}, {}", std::exp(point.scale),
                                                     turnText(space_.knobs, point.notches))});
  }
  for (const SearchPoint& point : points) tried_.emplace(keyOf(point), point.scale);
  STRATA_TRY(const std::vector<const Trial*> trials, log_.runAll(wishes));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Trial& trial = *trials[i];
    seen_.push_back(seenPoint(points[i], trial, trial.failure.empty() && trial.meetsTarget));
  }
  return {};
}

TrialGate ScaleSearch::gate() const {
  if (options_.target.error) return {2 * std::log(*options_.target.error), 0, true};
  std::vector<GateSample> samples;
  for (const SeenPoint& seen : seen_) {
    if (!seen.isMeasured()) continue;
    samples.push_back({seen.loss, seen.passes, logShare(options_.target, *seen.trial)});
  }
  return gateOf(samples);
}

/// The best trial so far, around which others are tried.
const SeenPoint& ScaleSearch::center() const {
  const auto isWorse = [&](const SeenPoint& a, const SeenPoint& b) {
    if (a.passes != b.passes) return b.passes;
    if (a.isMeasured() != b.isMeasured()) return b.isMeasured();
    const bool byBytes = a.passes ? !fitsBytes() : fitsBytes();
    return byBytes ? a.bytes > b.bytes : a.loss > b.loss;
  };
  return *std::max_element(seen_.begin(), seen_.end(), isWorse);
}

/// The multiplier at which the loss should be what the target allows, of the settings as given.
double ScaleSearch::nextScale(const TrialGate& gate) const {
  const SeenPoint& best = center();
  const SearchBeliefs beliefs = beliefsAround(best, gate);
  const double here = beliefs.guess(best.point).loss;
  SearchPoint ahead = best.point;
  ahead.scale += 1;
  const double slope = std::clamp(beliefs.guess(ahead).loss - here, 0.5, 6.0);
  double scale = best.point.scale + std::clamp((gate.limit - here) / slope, -1.4, 1.4);
  // Between those that pass and those that fail, away from both.
  double good = -std::numeric_limits<double>::infinity();
  double bad = -good;
  for (const SeenPoint& seen : seen_) {
    if (seen.passes) {
      good = std::max(good, seen.point.scale);
    } else {
      bad = std::min(bad, seen.point.scale);
    }
  }
  constexpr double kApart = 0.05;
  if (good < bad) scale = std::clamp(scale, good + kApart, std::max(bad - kApart, good + kApart));
  return std::clamp(scale, finest(), std::log(kWidestScale));
}

/// The size that is asked for, as given. Where no multiplier comes near to it, as between the
/// finest patterns and the coarsest of the levels that take their place, the other codec may.
Result<void> ScaleSearch::warmUpBySize(const SearchPoint& start) {
  STRATA_TRY(const SearchPoint given, fitted(start));
  STRATA_TRY(tryAll({given}));
  const double limit = std::log(static_cast<double>(*options_.target.bytes));
  if (std::abs(seen_.back().bytes - limit) < kSizeJump) return {};
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    if (!space_.knobs[k].changesCodec) continue;
    SearchPoint turn = given;
    turn.notches[k] = 1;
    STRATA_TRY(turn, fitted(std::move(turn)));
    STRATA_TRY(tryAll({turn}));
  }
  return {};
}

/// Brings the multiplier near to where the target is just met.
Result<void> ScaleSearch::warmUp() {
  SearchPoint point{std::log(start_.stepScale), std::vector<int>(space_.knobs.size(), 0)};
  if (fitsBytes()) return warmUpBySize(point);
  constexpr double kIdle = 0.02;
  // An error follows the steps smoothly: one that is small is just further away.
  const unsigned rounds = options_.target.error ? 2 * kMostWarmUp : kMostWarmUp;
  for (unsigned round = 0; round < rounds; ++round) {
    STRATA_TRY(tryAll({point}));
    const TrialGate now = gate();
    if (now.isBracketed && std::abs(seen_.back().loss - now.limit) < kNearEnough) return {};
    const double next = nextScale(now);
    if (std::abs(next - point.scale) < kIdle || !isNew({next, point.notches}, keyOf(point))) {
      return {};
    }
    // Where the multiplier changes hardly anything any more, codecs are at an end of their range.
    if (seen_.size() > 1 && isIdle(seen_[seen_.size() - 2], seen_.back())) return {};
    point.scale = next;
  }
  return {};
}

/// Where what passes stays far below the error that is allowed, as between the finest patterns and
/// the coarsest of the levels that take their place, the other codec may come near to it.
Result<void> ScaleSearch::fillGap() {
  constexpr double kAim = 0.01;  // below the limit, in logarithms of the error
  const SeenPoint best = center();
  const double limit = gate().limit;
  if (best.loss > limit - kNearEnough) return {};
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    if (!space_.knobs[k].changesCodec) continue;
    SearchPoint turn = best.point;
    turn.notches[k] = 1;
    for (unsigned round = 0; round < kMostWarmUp && isNew(turn, keyOf(turn)); ++round) {
      STRATA_TRY(tryAll({turn}));
      const double left = (limit - seen_.back().loss) / 2;
      if (!seen_.back().isMeasured() || (left >= 0 && left < kNearEnough / 4)) break;
      const double move = left < 0 ? std::min(left - kAim, -kScaleGrid) : left - kAim;
      turn.scale = std::clamp(turn.scale + move, finest(), std::log(kWidestScale));
    }
  }
  return {};
}

/// Turns each of the knobs whose effect nobody knows beforehand, where the best trial is, with the
/// multiplier as it is: what is not turned keeps its rounding.
Result<void> ScaleSearch::probe() {
  const SearchPoint best = center().point;
  std::vector<SearchPoint> points;
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    if (space_.knobs[k].probe == 0) continue;
    SearchPoint point = best;
    point.notches[k] += space_.knobs[k].probe;
    if (fitsBytes()) {
      STRATA_TRY(point, fitted(std::move(point)));
    }
    if (isNew(point, keyOf(point))) points.push_back(std::move(point));
  }
  return points.empty() ? Result<void>{} : tryAll(points);
}

/// Whether a knob was turned as far as this, or nearly.
bool ScaleSearch::isNearTried(std::size_t knob, int notches) const {
  return std::any_of(seen_.begin(), seen_.end(), [&](const SeenPoint& seen) {
    return std::abs(seen.point.notches[knob] - notches) <= 1;
  });
}

/// `point`, and all settings that differ from it by one knob, turned by one or two notches, and not
/// far from those of `from`: what a knob does is known nearby, but for steps, which act as powers.
std::vector<SearchPoint> ScaleSearch::turnsOf(const SearchPoint& point,
                                              const SearchPoint& from) const {
  constexpr int kMostNotches = 2;
  constexpr int kMostStepNotches = 6;
  const auto& knobs = space_.knobs;
  std::vector<SearchPoint> points{point};
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    for (const int by : {-2, -1, 1, 2}) {
      SearchPoint turn = point;
      turn.notches[k] += by;
      const int most = knobs[k].stepNotch == 0 ? kMostNotches : kMostStepNotches;
      if (std::abs(turn.notches[k] - from.notches[k]) > most) continue;
      if (knobs[k].stepNotch == 0 && !isNearTried(k, turn.notches[k])) continue;
      if (turn.notches[k] < knobs[k].least || turn.notches[k] > knobs[k].most) continue;
      for (std::size_t other = 0; other < knobs.size(); ++other) {
        const bool isRival = other != k && knobs[k].family != 0 && turn.notches[k] != 0 &&
                             knobs[other].family == knobs[k].family;
        if (isRival) turn.notches[other] = 0;
      }
      points.push_back(std::move(turn));
    }
  }
  return points;
}

/// Whether no trial had these settings, or a multiplier so near that it would round alike.
bool ScaleSearch::isNew(const SearchPoint& point, const std::string& key) const {
  const auto [begin, end] = tried_.equal_range(key);
  return std::none_of(begin, end, [&](const auto& entry) {
    return std::abs(entry.second - point.scale) < kScaleGrid - 1e-9;
  });
}

/// The new point of most gain by what `foresee` says of it: knobs are turned from `from` on, each
/// time the one that helps most, all with the multiplier that suits them.
template <typename Foresee>
std::optional<Forecast> ScaleSearch::climbed(const SearchPoint& from, double worthTurn,
                                             Foresee foresee) const {
  std::optional<Forecast> best;
  SearchPoint here = from;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    std::optional<Forecast> next;
    const double least = best ? best->gain : kLeastGain;
    for (SearchPoint& point : turnsOf(here, from)) {
      const std::string key = keyOf(point);
      for (int step = -kFarthest; step <= kFarthest; ++step) {
        point.scale = from.scale + step * kScaleGrid;
        const bool isWithin = point.scale >= finest() && point.scale <= std::log(kWidestScale);
        if (!isWithin || !isNew(point, key)) continue;
        Forecast found = foresee(point);
        const bool isTurned = found.point.notches != here.notches;
        if (found.gain <= least + (isTurned ? worthTurn : 0)) continue;
        if (next && found.gain <= next->gain) continue;
        next = std::move(found);
      }
    }
    if (!next) break;
    here.notches = next->point.notches;
    best = std::move(next);
  }
  return best;
}

/// The best point to try, if any is worth a trial. What is likely to pass goes before what would
/// save more.
std::optional<Forecast> ScaleSearch::chosen(const Surroundings& around) const {
  struct Demand {
    double chance;
    double worthTurn;
  };
  for (const Demand& demand :
       {Demand{kLikely, kWorthTurn}, Demand{kLikely, 0}, Demand{kUnlikely, 0}}) {
    auto found = climbed(around.best.point, demand.worthTurn, [&](const SearchPoint& point) {
      Forecast forecast = forecastOf(point, around, options_.target.bytes);
      if (forecast.chance < demand.chance) forecast.gain = 0;
      return forecast;
    });
    if (found) return found;
  }
  if (around.best.passes || fitsBytes()) return std::nullopt;
  return climbed(around.best.point, 0,
                 [&](const SearchPoint& point) { return approachOf(point, around); });
}

/// Whether a trial had the same bytes and error, so that it was of the same model: what was turned
/// does nothing here. Counts as tried, then.
bool ScaleSearch::isKnown(const SearchPoint& point, const Measured& measured) {
  const auto twin = std::find_if(seen_.begin(), seen_.end(), [&](const SeenPoint& seen) {
    const Measured& other = seen.trial->measured;
    return seen.isMeasured() && other.storedBytes == measured.storedBytes &&
           other.relativeError == measured.relativeError;
  });
  if (twin == seen_.end()) return false;
  tried_.emplace(keyOf(point), point.scale);
  seen_.push_back(seenPoint(point, *twin->trial, twin->passes));
  return true;
}

/// The same, once the bytes of what was chosen are known, which costs no trial: where they are not
/// as foreseen, something else may be better.
Result<std::optional<Forecast>> ScaleSearch::chosenBySize(const SeenPoint& best,
                                                          const TrialGate& gate) {
  constexpr int kMostSizes = 4;
  constexpr double kAsForeseen = 0.03;
  for (int i = 0;; ++i) {
    std::optional<Forecast> next = chosen({best, gate, beliefsAround(best, gate)});
    if (!next || !log_.hasScore() || fitsBytes() || i == kMostSizes) return next;
    STRATA_TRY(Measured measured, log_.size(settingsOf(next->point)));
    if (isKnown(next->point, measured)) continue;
    const double bytes = std::log(static_cast<double>(measured.storedBytes));
    sized_.push_back({next->point, std::move(measured)});
    if (std::abs(bytes - next->bytes) < kAsForeseen) return next;
  }
}

/// The points to try next; none where nothing is to be gained.
Result<std::vector<SearchPoint>> ScaleSearch::nextPoints() {
  const TrialGate now = gate();
  const SeenPoint best = center();
  const SearchBeliefs beliefs = beliefsAround(best, now);
  std::vector<SearchPoint> points;
  double firstGain = 0;
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    STRATA_TRY(std::optional<Forecast> next, chosenBySize(best, now));
    if (!next || next->gain < kWorthSecond * firstGain) break;
    firstGain = std::max(firstGain, next->gain);
    if (fitsBytes()) {
      STRATA_TRY(next->point, fitted(std::move(next->point)));
    }
    // What is like the first is better chosen once that is measured.
    const bool isAlike = std::any_of(points.begin(), points.end(), [&](const SearchPoint& other) {
      return beliefs.areAlike(other, next->point);
    });
    if (isAlike) break;
    expected_.push_back({next->point, best.trial, next->bytes, next->loss, false});
    points.push_back(next->point);
  }
  expected_.clear();
  return points;
}

/// `point` with the finest multiplier at which it is as large as the target allows, by sizes alone.
Result<SearchPoint> ScaleSearch::fitted(SearchPoint point) {
  const auto bytesAt = [&](double scale) -> Result<std::uint64_t> {
    SearchPoint there = point;
    there.scale = scale;
    STRATA_TRY(const Measured measured, log_.size(settingsOf(there)));
    return measured.storedBytes;
  };
  STRATA_TRY(point.scale,
             fittedScale(point.scale, std::log(kWidestScale), *options_.target.bytes, bytesAt));
  return point;
}

}  // namespace

Result<void> searchScale(TrialLog& log, const SearchOptions& options) {
  return ScaleSearch(log, options).run();
}

}  // namespace strata
