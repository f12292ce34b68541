#include "core/search/scale_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "core/search/kind_knobs.h"
#include "core/search/linear_belief.h"
#include "core/search/search_knobs.h"
#include "core/search/settings_text.h"
#include "core/search/trial_gate.h"

namespace strata {
namespace {

constexpr double kWidestScale = 64;    // the multiplier stays within its inverse and this
constexpr double kGrid = 0.02;         // by which multipliers are tried, in logarithms
constexpr int kFarthest = 35;          // of one trial from the best one, in these
constexpr double kLikely = 0.35;       // chance to pass that a trial should have
constexpr double kUnlikely = 0.05;     // and must have, where no other is left
constexpr double kWorthSecond = 0.6;   // of the gain of the first of a round
constexpr double kNoise = 0.15;        // of logarithms of divergences, beforehand
constexpr double kModelError = 0.04;   // of logarithms that no noise is in
constexpr double kNoiseCount = 6;      // as if seen in so many trials
constexpr double kLeastGain = 0.0005;  // bytes that a trial should save, in logarithms, to go on
constexpr unsigned kMostWarmUp = 6;
/// Trials that are chosen together, however many evaluators there are: a search finds the same.
constexpr std::size_t kAtOnce = 2;
/// Trials this far away, in knobs or in steps of kFar, count half.
constexpr double kHalfway = 4;
constexpr double kFar = 0.4;
/// Losses of turned knobs this far beyond the limit, in logarithms, and no losses at all are all
/// alike: linearity does not hold there.
constexpr double kFailedBeyond = 1.5;

/// Features of a point: 1, its multiplier, its knobs.
constexpr std::size_t kScaleFeature = 1;
constexpr std::size_t kKnobFeatures = 2;
constexpr double kWorthwhile = 0.03;  // what a notch should save, in logarithms of bytes

/// What stands for the loss of a trial and is smooth: the divergence, else the weight-space error.
double smoothLoss(const Measured& measured) noexcept {
  constexpr double kLeast = 1e-12;
  const auto& evaluation = measured.evaluation;
  if (evaluation && evaluation->divergence) return std::max(*evaluation->divergence, kLeast);
  return std::max(measured.relativeError * measured.relativeError, kLeast);
}

double logBytes(const Measured& measured) noexcept {
  return std::log(std::max<double>(static_cast<double>(measured.storedBytes), 1));
}

/// Part of the loss that a target allows, in logarithms.
double logShare(const SearchTarget& target, const Trial& trial) noexcept {
  constexpr double kUnknown = -10;
  if (!target.qualityLoss || *target.qualityLoss <= 0 || !trial.loss) return kUnknown;
  const double loss = std::max({trial.likelyLoss.value_or(*trial.loss), *trial.loss, 0.0});
  return std::log(std::max(loss / *target.qualityLoss, std::exp(kUnknown)));
}

/// A setting: the logarithm of its multiplier, and its knobs.
struct Point {
  double scale = 0;
  std::vector<int> notches;
};

struct Seen {
  Point point;
  const Trial* trial = nullptr;
  double bytes = 0;  ///< logarithms
  double loss = 0;
  bool passes = false;

  bool isMeasured() const noexcept { return trial->failure.empty(); }
};

/// What is expected of a point.
struct Forecast {
  Point point;
  double bytes = 0;  ///< logarithms
  double loss = 0;
  double chance = 0;  ///< that it meets the target
  double gain = 0;    ///< in logarithms of bytes, or of the loss for a target of size
};

/// What is known around the best trial.
struct Surroundings {
  Seen best;
  TrialGate gate;
  LinearBelief bytes;
  LinearBelief losses;
};

struct Candidate {
  Point point;      ///< at any multiplier
  std::string key;  ///< what its settings are but for that
};

class ScaleSearch {
 public:
  ScaleSearch(TrialLog& log, const SearchOptions& options)
      : log_(log),
        options_(options),
        start_(withKindRules(options.start, kindsOf(options))),
        knobs_(knobsOf(start_, options, log.hasScore())) {}

  Result<void> run() {
    STRATA_TRY(warmUp());
    STRATA_TRY(probe());
    while (true) {
      std::vector<Point> points;
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
  Result<void> probe();
  Forecast forecast(const Point& point, const Surroundings& around) const;
  std::optional<Forecast> bestOf(const std::vector<Candidate>& candidates,
                                 const Surroundings& around, double leastChance) const;
  std::optional<Forecast> nearestOf(const std::vector<Candidate>& candidates,
                                    const Surroundings& around) const;
  Result<std::vector<Point>> nextPoints();
  Result<void> tryAll(const std::vector<Point>& points);
  Result<Point> fitted(Point point);

  bool fitsBytes() const noexcept { return options_.target.bytes.has_value(); }
  QuantizeSettings settingsOf(const Point& point) const {
    QuantizeSettings settings = turned(start_, knobs_, point.notches);
    settings.stepScale = std::exp(point.scale);
    return settings;
  }
  /// What a point's settings are but for the multiplier.
  std::string keyOf(const Point& point) const {
    return settingsText(turned(start_, knobs_, point.notches));
  }
  TrialGate gate() const;
  const Seen& center() const;
  std::vector<double> featuresOf(const Point& point, const Point& origin) const;
  LinearBelief belief(bool ofBytes, const Point& origin, const TrialGate& gate) const;
  Point balanced(const Point& origin, const LinearBelief& bytes, const LinearBelief& losses,
                 double part) const;
  Point withPaying(const Point& origin, const LinearBelief& bytes,
                   const LinearBelief& losses) const;
  /// By how much a feature changes what is believed.
  double slopeOf(const LinearBelief& belief, std::size_t feature) const {
    std::vector<double> features(kKnobFeatures + knobs_.size(), 0.0);
    features[feature] = 1;
    return belief.guess(features).mean;
  }
  std::vector<Point> pool(const Point& origin) const;
  bool isNew(const Point& point, const std::string& key) const;
  double nextScale(const TrialGate& gate) const;
  static bool isIdle(const Seen& a, const Seen& b) noexcept {
    constexpr double kLeastPower = 0.15;  // of the multiplier, that bytes fall with
    return std::abs(a.bytes - b.bytes) < kLeastPower * std::abs(a.point.scale - b.point.scale);
  }

  TrialLog& log_;
  const SearchOptions& options_;
  const QuantizeSettings start_;
  const std::vector<Knob> knobs_;
  std::vector<Seen> seen_;
  std::vector<Seen> expected_;  ///< trials that are chosen but not measured, as they should be
  std::multimap<std::string, double> tried_;  ///< multipliers by keyOf()
};

Result<void> ScaleSearch::tryAll(const std::vector<Point>& points) {
  std::vector<Wish> wishes;
  for (const Point& point : points) {
    wishes.push_back({settingsOf(point), fmt::format("step scale {:.3g}, {}", std::exp(point.scale),
                                                     turnText(knobs_, point.notches))});
  }
  for (const Point& point : points) tried_.emplace(keyOf(point), point.scale);
  STRATA_TRY(const std::vector<const Trial*> trials, log_.runAll(wishes));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Trial& trial = *trials[i];
    seen_.push_back(
        {points[i], &trial, logBytes(trial.measured), std::log(smoothLoss(trial.measured)),
         trial.failure.empty() && trial.meetsTarget && isLikelyToHold(options_.target, trial)});
  }
  return {};
}

TrialGate ScaleSearch::gate() const {
  if (options_.target.error) return {2 * std::log(*options_.target.error), 0, true};
  std::vector<GateSample> samples;
  for (const Seen& seen : seen_) {
    if (!seen.isMeasured()) continue;
    samples.push_back({seen.loss, seen.passes, logShare(options_.target, *seen.trial)});
  }
  return gateOf(samples);
}

/// The best trial so far, around which others are tried.
const Seen& ScaleSearch::center() const {
  const auto isWorse = [&](const Seen& a, const Seen& b) {
    if (a.passes != b.passes) return b.passes;
    if (a.isMeasured() != b.isMeasured()) return b.isMeasured();
    const bool byBytes = a.passes ? !fitsBytes() : fitsBytes();
    return byBytes ? a.bytes > b.bytes : a.loss > b.loss;
  };
  return *std::max_element(seen_.begin(), seen_.end(), isWorse);
}

std::vector<double> ScaleSearch::featuresOf(const Point& point, const Point& origin) const {
  std::vector<double> features{1, point.scale - origin.scale};
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    features.push_back(point.notches[k] - origin.notches[k]);
  }
  return features;
}

/// What is believed of the logarithms of bytes or losses around `origin`.
LinearBelief ScaleSearch::belief(bool ofBytes, const Point& origin, const TrialGate& gate) const {
  std::vector<LinearBelief::Observation> observations;
  double sum = 0;
  double weights = 0;
  const auto add = [&](const Seen& seen, bool isMeasured) {
    if (!isMeasured && ofBytes) return;
    const bool isTurned = seen.point.notches != origin.notches;
    const double most = std::max(gate.limit, center().loss) + kFailedBeyond;
    const double loss = !isMeasured || (isTurned && seen.loss > most) ? most : seen.loss;
    const double value = ofBytes ? seen.bytes : loss;
    std::vector<double> features = featuresOf(seen.point, origin);
    double distance = std::abs(features[kScaleFeature]) / kFar;
    for (std::size_t i = kKnobFeatures; i < features.size(); ++i) distance += std::abs(features[i]);
    const double weight = 1 / (1 + std::pow(distance / kHalfway, 2));
    observations.push_back({std::move(features), value, weight});
    sum += weight * value;
    weights += weight;
  };
  for (const Seen& seen : seen_) add(seen, seen.isMeasured());
  for (const Seen& seen : expected_) add(seen, true);
  std::vector<LinearBelief::Prior> priors;
  priors.push_back({weights > 0 ? sum / weights : 0, 3});
  priors.push_back(ofBytes ? LinearBelief::Prior{-1.3, 0.5} : LinearBelief::Prior{2, 0.6});
  for (const Knob& knob : knobs_) priors.push_back(ofBytes ? knob.bytes : knob.loss);
  const bool isNoisy = !ofBytes && log_.hasScore();
  LinearBelief belief(priors, isNoisy ? kNoise : kModelError, kNoiseCount);
  belief.learn(observations);
  return belief;
}

/// The multiplier at which the loss should be what the target allows, of the settings as given.
double ScaleSearch::nextScale(const TrialGate& gate) const {
  const Seen& best = center();
  const LinearBelief losses = belief(false, best.point, gate);
  const double here = losses.guess(featuresOf(best.point, best.point)).mean;
  Point ahead = best.point;
  ahead.scale += 1;
  const double slope =
      std::clamp(losses.guess(featuresOf(ahead, best.point)).mean - here, 0.5, 6.0);
  double scale = best.point.scale + std::clamp((gate.limit - here) / slope, -1.4, 1.4);
  // Between those that pass and those that fail, away from both.
  double good = -std::numeric_limits<double>::infinity();
  double bad = -good;
  for (const Seen& seen : seen_) {
    if (seen.passes) {
      good = std::max(good, seen.point.scale);
    } else {
      bad = std::min(bad, seen.point.scale);
    }
  }
  constexpr double kApart = 0.05;
  if (good < bad) scale = std::clamp(scale, good + kApart, std::max(bad - kApart, good + kApart));
  return std::clamp(scale, -std::log(kWidestScale), std::log(kWidestScale));
}

/// Brings the multiplier near to where the target is just met.
Result<void> ScaleSearch::warmUp() {
  Point point{std::log(start_.stepScale), std::vector<int>(knobs_.size(), 0)};
  if (fitsBytes()) {
    STRATA_TRY(point, fitted(point));
    return tryAll({point});
  }
  constexpr double kNearEnough = 0.2;
  constexpr double kIdle = 0.02;
  for (unsigned round = 0; round < kMostWarmUp; ++round) {
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

/// Turns each of the knobs whose effect nobody knows beforehand, where the best trial is, with the
/// multiplier as it is: what is not turned keeps its rounding.
Result<void> ScaleSearch::probe() {
  const Point best = center().point;
  std::vector<Point> points;
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    if (knobs_[k].probe == 0) continue;
    Point point = best;
    point.notches[k] += knobs_[k].probe;
    if (fitsBytes()) {
      STRATA_TRY(point, fitted(std::move(point)));
    }
    if (isNew(point, keyOf(point))) points.push_back(std::move(point));
  }
  return points.empty() ? Result<void>{} : tryAll(points);
}

/// `origin` with the steps of kinds so that all give up the same quality per byte. With kind k's
/// share w of the bytes' and v of the loss's answer to the multiplier, both powers, the least bytes
/// at equal loss are where step k changes by the factor (w/v)^(1/(bytes + loss)); `part` of that
/// way.
Point ScaleSearch::balanced(const Point& origin, const LinearBelief& bytes,
                            const LinearBelief& losses, double part) const {
  constexpr double kLeastShare = 0.002;
  constexpr double kMostNotches = 6;
  const double ofBytes = std::max(-slopeOf(bytes, kScaleFeature), 0.1);
  const double ofLoss = std::max(slopeOf(losses, kScaleFeature), 0.5);
  Point point = origin;
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    const double notch = knobs_[k].stepNotch;
    if (notch == 0) continue;
    const double w = std::max(-slopeOf(bytes, kKnobFeatures + k) / (ofBytes * notch), kLeastShare);
    const double v = std::max(slopeOf(losses, kKnobFeatures + k) / (ofLoss * notch), kLeastShare);
    const double way = part * std::log(w / v) / ((ofBytes + ofLoss) * notch);
    point.notches[k] += static_cast<int>(std::lround(std::clamp(way, -kMostNotches, kMostNotches)));
  }
  return point;
}

/// `origin` with all knobs but the steps a notch further to where they seem to pay: each by little,
/// together by more than a trial is noisy.
Point ScaleSearch::withPaying(const Point& origin, const LinearBelief& bytes,
                              const LinearBelief& losses) const {
  const double exchange =
      std::max(-slopeOf(bytes, kScaleFeature), 0.1) / std::max(slopeOf(losses, kScaleFeature), 0.5);
  Point point = origin;
  std::map<unsigned, std::pair<double, std::size_t>> families;  // the best of each
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    const Knob& knob = knobs_[k];
    if (knob.stepNotch != 0) continue;
    const std::size_t feature = kKnobFeatures + k;
    const double price = slopeOf(bytes, feature) + exchange * slopeOf(losses, feature);
    const int turn = price < 0 ? 1 : -1;
    const int to = origin.notches[k] + turn;
    if (std::abs(price) < kWorthwhile || to < knob.least || to > knob.most) continue;
    if (knob.family == 0) {
      point.notches[k] = to;
      continue;
    }
    const auto [best, isFirst] = families.try_emplace(knob.family, price, k);
    if (!isFirst && price < best->second.first) best->second = {price, k};
  }
  for (const auto& [family, best] : families) {
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (knobs_[k].family == family) point.notches[k] = 0;
    }
    if (best.first < 0) point.notches[best.second] = 1;
  }
  return point;
}

/// All settings that differ from `origin` by at most two knobs, turned by one or two notches, and
/// those with balanced steps.
std::vector<Point> ScaleSearch::pool(const Point& origin) const {
  std::vector<Point> points{origin};
  const TrialGate now = gate();
  const LinearBelief bytes = belief(true, origin, now);
  const LinearBelief losses = belief(false, origin, now);
  const auto isAllowed = [&](const Point& point) {
    std::set<unsigned> families;
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (point.notches[k] < knobs_[k].least || point.notches[k] > knobs_[k].most) return false;
      const bool isTurned = point.notches[k] != 0 && knobs_[k].family != 0;
      if (isTurned && !families.insert(knobs_[k].family).second) return false;
    }
    return true;
  };
  const auto add = [&](Point point) {
    if (isAllowed(point)) points.push_back(std::move(point));
  };
  const Point paying = withPaying(origin, bytes, losses);
  add(paying);
  for (const double part : {0.5, 1.0}) {
    add(balanced(origin, bytes, losses, part));
    add(balanced(paying, bytes, losses, part));
  }
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    for (const int by : {-2, -1, 1, 2}) {
      Point one = origin;
      one.notches[k] += by;
      add(one);
      for (std::size_t other = k + 1; other < knobs_.size(); ++other) {
        for (const int otherBy : {-1, 1}) {
          Point two = one;
          two.notches[other] += otherBy;
          add(std::move(two));
        }
      }
    }
  }
  return points;
}

/// Whether no trial had these settings, or a multiplier so near that it would round alike.
bool ScaleSearch::isNew(const Point& point, const std::string& key) const {
  const auto [begin, end] = tried_.equal_range(key);
  return std::none_of(begin, end, [&](const auto& entry) {
    return std::abs(entry.second - point.scale) < kGrid - 1e-9;
  });
}

/// What a trial of `point` should save or gain, times the chance that it meets the target.
Forecast ScaleSearch::forecast(const Point& point, const Surroundings& around) const {
  const auto features = featuresOf(point, around.best.point);
  const auto bytes = around.bytes.guess(features);
  const auto loss = around.losses.guess(features);
  const double noise = around.losses.noise();
  Forecast found{.point = point, .bytes = bytes.mean, .loss = loss.mean};
  if (fitsBytes()) {
    const double limit = std::log(static_cast<double>(*options_.target.bytes));
    const bool isNear = bytes.mean <= limit && bytes.mean >= limit - 2 * kGrid;
    // Expected improvement of a normal guess.
    const double deviation = std::sqrt(loss.variance + noise * noise);
    const double z = (around.best.loss - loss.mean) / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    found.chance = 1;
    found.gain = isNear ? deviation * (z * 0.5 * std::erfc(-z / std::numbers::sqrt2) + density) : 0;
    return found;
  }
  // Without a trial that passes, any that does is a gain.
  const double bytesNow = around.best.passes ? around.best.bytes : around.best.bytes + 1;
  found.chance = around.gate.chance(loss.mean, noise);
  found.gain = (bytesNow - bytes.mean) * found.chance;
  return found;
}

/// The best of the new points with a chance of at least `leastChance`, if any is worth a trial.
std::optional<Forecast> ScaleSearch::bestOf(const std::vector<Candidate>& candidates,
                                            const Surroundings& around, double leastChance) const {
  std::optional<Forecast> best;
  for (const Candidate& candidate : candidates) {
    Point point = candidate.point;
    for (int step = -kFarthest; step <= kFarthest; ++step) {
      point.scale = around.best.point.scale + step * kGrid;
      if (std::abs(point.scale) > std::log(kWidestScale)) continue;
      if (!isNew(point, candidate.key)) continue;
      Forecast found = forecast(point, around);
      if (found.chance < leastChance || found.gain < kLeastGain) continue;
      if (!best || found.gain > best->gain) best = std::move(found);
    }
  }
  return best;
}

/// Where nothing passes nor is likely to: what should come nearest to the limit, the smaller the
/// better, if nearer than any trial did.
std::optional<Forecast> ScaleSearch::nearestOf(const std::vector<Candidate>& candidates,
                                               const Surroundings& around) const {
  constexpr double kPrice = 10;  // bytes that missing the limit is worth, both in logarithms
  const auto badness = [&](double bytes, double loss) {
    return bytes + kPrice * std::max(loss - around.gate.limit, 0.0);
  };
  const double now = badness(around.best.bytes, around.best.loss);
  std::optional<Forecast> best;
  for (const Candidate& candidate : candidates) {
    Point point = candidate.point;
    for (int step = -kFarthest; step <= 0; step += kFarthest / 7) {
      point.scale = around.best.point.scale + step * kGrid;
      if (point.scale < -std::log(kWidestScale) || !isNew(point, candidate.key)) continue;
      Forecast found = forecast(point, around);
      found.gain = now - badness(found.bytes, found.loss);
      if (found.gain > (best ? best->gain : kLeastGain)) best = std::move(found);
    }
  }
  return best;
}

/// The points to try next; none where nothing is to be gained.
Result<std::vector<Point>> ScaleSearch::nextPoints() {
  const TrialGate now = gate();
  const Seen best = center();
  std::vector<Candidate> candidates;
  for (Point& point : pool(best.point)) candidates.push_back({point, keyOf(point)});
  std::vector<Point> points;
  double firstGain = 0;
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    const Surroundings around{best, now, belief(true, best.point, now),
                              belief(false, best.point, now)};
    // What is likely to pass goes before what would save more.
    std::optional<Forecast> chosen = bestOf(candidates, around, kLikely);
    if (!chosen) chosen = bestOf(candidates, around, kUnlikely);
    if (!chosen && !best.passes && !fitsBytes()) chosen = nearestOf(candidates, around);
    if (!chosen || chosen->gain < kWorthSecond * firstGain) break;
    firstGain = std::max(firstGain, chosen->gain);
    if (fitsBytes()) {
      STRATA_TRY(chosen->point, fitted(std::move(chosen->point)));
    }
    const std::string key = keyOf(chosen->point);
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate& other) { return other.key == key; }),
                     candidates.end());
    expected_.push_back({chosen->point, best.trial, chosen->bytes, chosen->loss, false});
    points.push_back(chosen->point);
  }
  expected_.clear();
  return points;
}

/// `point` with the largest multiplier's inverse at which it is as large as the target allows, by
/// sizes alone.
Result<Point> ScaleSearch::fitted(Point point) {
  constexpr double kClose = 0.01;
  constexpr int kMostSizes = 12;
  const double limit = std::log(static_cast<double>(*options_.target.bytes));
  const double widest = std::log(kWidestScale);
  std::optional<double> fits;  // the finest multiplier that does
  std::optional<double> exceeds;
  double slope = -1.5;
  double lastScale = 0;
  double lastBytes = 0;
  for (int i = 0; i < kMostSizes; ++i) {
    STRATA_TRY(const Measured measured, log_.size(settingsOf(point)));
    const double bytes = logBytes(measured);
    if (i > 0 && std::abs(point.scale - lastScale) > 1e-6) {
      slope = std::clamp((bytes - lastBytes) / (point.scale - lastScale), -6.0, -0.2);
    }
    lastScale = point.scale;
    lastBytes = bytes;
    (bytes <= limit ? fits : exceeds) = point.scale;
    if (bytes <= limit && bytes > limit - kClose) return point;
    double next = point.scale + (limit - kClose / 2 - bytes) / slope;
    if (fits && exceeds && (next >= *fits || next <= *exceeds)) next = (*fits + *exceeds) / 2;
    next = std::clamp(next, -widest, widest);
    if (std::abs(next - point.scale) < 1e-4) break;
    point.scale = next;
  }
  if (fits) point.scale = *fits;
  return point;
}

}  // namespace

Result<void> searchScale(TrialLog& log, const SearchOptions& options) {
  return ScaleSearch(log, options).run();
}

}  // namespace strata
