#include "core/search/scale_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/search/kind_knobs.h"

namespace strata {
namespace {

constexpr double kWidestScale = 64;      // the multiplier stays within its inverse and this
constexpr double kCoarse = 1.15;         // the first bracket ends at this ratio
constexpr double kFine = 1.02;           // the last one at this
constexpr unsigned kReservedTrials = 6;  // for the last bracket
constexpr double kKindFactor = 1.3;      // by which a kind's step is varied to see what it does
constexpr double kMostGrowth = 2;        // of the divergence by knobs, before the next fit
constexpr double kWorthwhile = 0.003;    // a change of merit, in the logarithm of bytes

/// How bytes and divergence follow the multiplier near the target, as powers.
struct Slopes {
  double bytes = 2;       // bytes fall with scale^-bytes
  double divergence = 2;  // divergence grows with scale^divergence

  /// Bytes that a change of divergence is worth.
  double exchange() const noexcept { return bytes / divergence; }
};

/// What stands for the loss of a trial and is smooth: the divergence, else the weight-space error.
double smoothLoss(const Trial& trial) noexcept {
  constexpr double kLeast = 1e-12;
  const auto& evaluation = trial.measured.evaluation;
  if (evaluation && evaluation->divergence) return std::max(*evaluation->divergence, kLeast);
  return std::max(trial.measured.relativeError * trial.measured.relativeError, kLeast);
}

bool isMeasured(const Trial& trial) noexcept { return trial.failure.empty(); }

std::pair<double, double> logs(const Trial& trial) noexcept {
  return {std::log(std::max<double>(static_cast<double>(trial.measured.storedBytes), 1)),
          std::log(smoothLoss(trial))};
}

QuantizeSettings scaled(QuantizeSettings settings, double scale) {
  settings.stepScale = scale;
  return settings;
}

/// Kinds of tensors whose steps are varied together.
struct Group {
  std::string what;
  std::vector<TensorKind> kinds;
};

/// A kind of its own where it is a good part of the model; all others together, because a trial
/// that changes a hundredth of the bytes tells little.
std::vector<Group> groupsOf(const std::vector<KindShare>& kinds) {
  constexpr double kLeastShare = 0.02;
  std::vector<Group> groups;
  Group rest{"small kinds", {}};
  for (const KindShare& part : kinds) {
    if (part.share >= kLeastShare) {
      groups.push_back({std::string(name(part.kind)), {part.kind}});
    } else {
      rest.kinds.push_back(part.kind);
    }
  }
  if (rest.kinds.size() == 1) rest.what = name(rest.kinds.front());
  if (!rest.kinds.empty()) groups.push_back(std::move(rest));
  return groups;
}

/// Whether a step means something to a kind of the group: not where low rank is all there is.
bool hasStep(const QuantizeSettings& settings, const Group& group) {
  return std::any_of(group.kinds.begin(), group.kinds.end(), [&](TensorKind kind) {
    return kindCodec(settings, kind) != CodecId::Patterns ||
           kindValue(settings, kind, &QuantizeRule::patternLength) != 0U;
  });
}

void scaleSteps(QuantizeSettings& settings, const Group& group, double factor) {
  for (const TensorKind kind : group.kinds) scaleStep(settings, kind, factor);
}

class ScaleSearch {
 public:
  ScaleSearch(TrialLog& log, const SearchOptions& options)
      : log_(log), options_(options), groups_(groupsOf(options.kinds)) {
    for (const KindShare& part : options.kinds) kinds_.push_back(part.kind);
  }

  Result<void> run() {
    QuantizeSettings settings = withKindRules(options_.start, kinds_);
    STRATA_TRY(settings.stepScale, fit(settings, kCoarse));
    STRATA_TRY(slopes_, slopesAt(settings));
    for (std::size_t idle = 0; idle < 2;) {
      STRATA_TRY(const Trial* before, log_.run(settings, "step scale"));
      const double merit = meritOf(*before);
      fittedLoss_ = isMeasured(*before) ? smoothLoss(*before) : std::numeric_limits<double>::max();
      const double factor = 1 + (kKindFactor - 1) / static_cast<double>(1 + idle);
      STRATA_TRY(settings, balanced(std::move(settings), factor));
      STRATA_TRY(settings, tuned(std::move(settings), 1.0 / static_cast<double>(1 + idle)));
      STRATA_TRY(settings.stepScale, scaleLike(*before, settings));
      STRATA_TRY(settings.stepScale, fit(settings, kFine));
      STRATA_TRY(const Trial* after, log_.run(settings, "step scale"));
      idle = meritOf(*after) < merit - kWorthwhile ? 0 : idle + 1;
    }
    return {};
  }

 private:
  /// Small steps keep the target of a score or an error, large ones that of a size.
  double direction() const noexcept { return options_.target.bytes ? -1 : 1; }

  Result<bool> meetsAt(const QuantizeSettings& settings) {
    if (!options_.target.qualityLoss) {
      STRATA_TRY(const Measured measured, log_.size(settings));
      return meets(options_.target, measured, {}, {});
    }
    STRATA_TRY(const Trial* trial,
               log_.run(settings, fmt::format("step scale {:.3g}", settings.stepScale)));
    return trial->meetsTarget && isLikelyToHold(options_.target, *trial);
  }

  /// The multiplier nearest to the target's limit that keeps it, known up to the factor
  /// `precision`; where none keeps it, the last one tried.
  Result<double> fit(const QuantizeSettings& settings, double precision) {
    double good = settings.stepScale;
    double factor = std::max(std::pow(precision, 4), 1.08);
    STRATA_TRY(const bool isGood, meetsAt(settings));
    const double outward = isGood ? direction() : -direction();
    double bad = good;
    for (bool wasGood = isGood; wasGood == isGood; factor = std::min(factor * 1.2, 2.0)) {
      const double next = (isGood ? good : bad) * std::pow(factor, outward);
      if (next > kWidestScale || next < 1 / kWidestScale) return isGood ? good : bad;
      STRATA_TRY(wasGood, meetsAt(scaled(settings, next)));
      STRATA_TRY(const bool isIdle, changesNothing(settings, isGood ? good : bad, next));
      (wasGood ? good : bad) = next;
      if (isIdle) return wasGood ? good : bad;
    }
    while (std::abs(std::log(good / bad)) > std::log(precision)) {
      const double middle = std::sqrt(good * bad);
      STRATA_TRY(const bool isMet, meetsAt(scaled(settings, middle)));
      (isMet ? good : bad) = middle;
    }
    return good;
  }

  /// Whether codecs are at an end of their range: between two multipliers that were tried the bytes
  /// stay.
  Result<bool> changesNothing(const QuantizeSettings& settings, double from, double to) {
    constexpr double kLeastPower = 0.05;
    STRATA_TRY(const Measured here, log_.size(scaled(settings, from)));
    STRATA_TRY(const Measured there, log_.size(scaled(settings, to)));
    const double change = std::log((1 + static_cast<double>(there.storedBytes)) /
                                   (1 + static_cast<double>(here.storedBytes)));
    return std::abs(change) < kLeastPower * std::abs(std::log(to / from));
  }

  /// The multiplier at which `settings` should lose as much as `fitted` did, or be as large: where
  /// to fit from.
  Result<double> scaleLike(const Trial& fitted, const QuantizeSettings& settings) {
    STRATA_TRY(const Trial* here, log_.run(settings, "step scale"));
    if (!isMeasured(fitted) || !isMeasured(*here)) return settings.stepScale;
    const auto [bytesThen, divergenceThen] = logs(fitted);
    const auto [bytes, divergence] = logs(*here);
    const double change = options_.target.bytes
                              ? (bytes - bytesThen) / slopes_.bytes
                              : (divergenceThen - divergence) / slopes_.divergence;
    return std::clamp(settings.stepScale * std::clamp(std::exp(change), 0.5, 2.0), 1 / kWidestScale,
                      kWidestScale);
  }

  /// Measured between the fitted multiplier and another one.
  Result<Slopes> slopesAt(const QuantizeSettings& settings) {
    STRATA_TRY(const Trial* here, log_.run(settings, "step scale"));
    const double factor = kKindFactor;
    STRATA_TRY(const Trial* below,
               log_.run(scaled(settings, settings.stepScale / factor), "slope"));
    Slopes slopes;
    if (!isMeasured(*here) || !isMeasured(*below)) return slopes;
    const auto [bytes, divergence] = logs(*here);
    const auto [bytesBelow, divergenceBelow] = logs(*below);
    slopes.bytes = std::clamp((bytesBelow - bytes) / std::log(factor), 0.1, 8.0);
    slopes.divergence = std::clamp((divergence - divergenceBelow) / std::log(factor), 0.5, 8.0);
    return slopes;
  }

  /// The logarithm of the bytes that this trial would take at a divergence of 1: what is minimised.
  double meritOf(const Trial& trial) const noexcept {
    if (!isMeasured(trial)) return std::numeric_limits<double>::infinity();
    const auto [bytes, divergence] = logs(trial);
    return bytes + slopes_.exchange() * divergence;
  }

  bool mayTry() const noexcept { return log_.trialsLeft() > kReservedTrials; }

  /// The better one of `settings` and `other`.
  Result<bool> isBetter(const QuantizeSettings& other, const std::string& what, double* merit) {
    STRATA_TRY(const Trial* trial, log_.run(other, what));
    // Codecs cannot be made ever finer: far from the target the powers do not hold.
    if (isMeasured(*trial) && smoothLoss(*trial) > kMostGrowth * fittedLoss_) return false;
    if (meritOf(*trial) > *merit - kWorthwhile) return false;
    *merit = meritOf(*trial);
    return true;
  }

  Result<QuantizeSettings> balanced(QuantizeSettings settings, double factor);
  Result<QuantizeSettings> tuned(QuantizeSettings settings, double extent);

  TrialLog& log_;
  const SearchOptions& options_;
  std::vector<TensorKind> kinds_;
  std::vector<Group> groups_;
  Slopes slopes_;
  double fittedLoss_ = 0;  // where the multiplier was last fitted
};

/// Sets the groups' steps so that all give up the same quality per byte. With group k's share w of
/// the bytes' and v of the divergence's answer to its step, both powers, the least bytes at equal
/// divergence are where step k changes by the factor (w/v)^(1/(bytes + divergence)).
Result<QuantizeSettings> ScaleSearch::balanced(QuantizeSettings settings, double factor) {
  if (groups_.size() < 2) return settings;
  std::vector<Wish> wishes{{settings, "step scale"}};
  std::vector<const Group*> varied{nullptr};  // by each wish
  for (const Group& group : groups_) {
    if (!mayTry() || wishes.size() + kReservedTrials > log_.trialsLeft()) break;
    if (!hasStep(settings, group)) continue;
    wishes.push_back({settings, fmt::format("{} step x{:.3g}", group.what, factor)});
    scaleSteps(wishes.back().settings, group, factor);
    varied.push_back(&group);
  }
  if (wishes.size() < 3) return settings;
  STRATA_TRY(const std::vector<const Trial*> trials, log_.runAll(wishes));
  if (!isMeasured(*trials.front())) return settings;
  const auto [bytes, divergence] = logs(*trials.front());
  QuantizeSettings changed = settings;
  constexpr double kLeastShare = 0.002;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (!isMeasured(*trials[i])) continue;
    const auto [bytesNow, divergenceNow] = logs(*trials[i]);
    const double unit = std::log(factor);
    const double w = std::max((bytes - bytesNow) / (slopes_.bytes * unit), kLeastShare);
    const double v =
        std::max((divergenceNow - divergence) / (slopes_.divergence * unit), kLeastShare);
    const double change = std::pow(w / v, 1 / (slopes_.bytes + slopes_.divergence));
    scaleSteps(changed, *varied[i], std::clamp(change, 0.5, 2.0));
  }
  double merit = meritOf(*trials.front());
  // The best single change is known already; the joint one has to beat it.
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (meritOf(*trials[i]) >= merit - kWorthwhile) continue;
    merit = meritOf(*trials[i]);
    settings = wishes[i].settings;
  }
  STRATA_TRY(const bool isAccepted, isBetter(changed, "steps balanced", &merit));
  return isAccepted ? changed : settings;
}

/// One knob: how to turn it up (true) or down; false where it is at its end.
struct Knob {
  std::string_view what;
  std::function<bool(QuantizeSettings&, bool up, double extent)> turn;
  bool makesUpForShrinkage = false;
};

/// Applies `change` to a field of the rules of all `kinds` that have it.
template <typename T, typename Change>
bool turnAll(QuantizeSettings& settings, const std::vector<TensorKind>& kinds,
             std::optional<T> QuantizeRule::*field, Change change) {
  bool hasChanged = false;
  for (const TensorKind kind : kinds) {
    std::optional<T>& value = kindRule(settings, kind).*field;
    const T before = *value;
    value = change(before);
    hasChanged = hasChanged || *value != before;
  }
  return hasChanged;
}

/// Puts all of `kinds` through `codec`; false where all are already.
bool turnCodec(QuantizeSettings& settings, const std::vector<TensorKind>& kinds, CodecId codec) {
  bool hasChanged = false;
  for (const TensorKind kind : kinds) {
    hasChanged = hasChanged || kindCodec(settings, kind) != codec;
    kindRule(settings, kind).codec = codec;
  }
  return hasChanged;
}

/// Those of `kinds` that go through `levels`: what a dead zone means something to.
std::vector<TensorKind> withLevels(const QuantizeSettings& settings,
                                   std::vector<TensorKind> kinds) {
  const auto isOther = [&](TensorKind kind) {
    return kindCodec(settings, kind) != CodecId::Levels;
  };
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(), isOther), kinds.end());
  return kinds;
}

bool isMatrix(TensorKind kind) noexcept {
  return kind == TensorKind::Attention || kind == TensorKind::Linear ||
         kind == TensorKind::Convolution || kind == TensorKind::Unknown;
}

std::vector<Knob> knobsOf(const std::vector<TensorKind>& kinds) {
  std::vector<TensorKind> matrices;
  std::vector<TensorKind> large;
  for (const TensorKind kind : kinds) {
    if (isMatrix(kind)) matrices.push_back(kind);
    if (isMatrix(kind) || kind == TensorKind::Embedding) large.push_back(kind);
  }
  const auto turnRank = [](unsigned rank, bool up) {
    constexpr unsigned kMost = 64;
    return up ? std::min(rank == 0 ? 2 : rank * 2, kMost) : (rank <= 2 ? 0 : rank / 2);
  };
  std::vector<Knob> knobs;
  if (!matrices.empty()) {
    knobs.push_back({"rank of the matrices", [=](QuantizeSettings& s, bool up, double) {
                       return turnAll(s, matrices, &QuantizeRule::rank,
                                      [&](unsigned rank) { return turnRank(rank, up); });
                     }});
    knobs.push_back({"levels for the matrices", [=](QuantizeSettings& s, bool up, double) {
                       return turnCodec(s, matrices, up ? CodecId::Levels : CodecId::Patterns);
                     }});
    knobs.push_back({"factor step", [=](QuantizeSettings& s, bool up, double extent) {
                       const double factor = 1 + 0.5 * extent;
                       return turnAll(s, matrices, &QuantizeRule::factorStep, [&](double step) {
                         return std::clamp(up ? step * factor : step / factor, 0.1, 4.0);
                       });
                     }});
  }
  knobs.push_back({"gain",
                   [=](QuantizeSettings& s, bool up, double extent) {
                     return turnAll(s, large, &QuantizeRule::gain, [&](double gain) {
                       return std::clamp(gain + (up ? 0.15 : -0.15) * extent, 0.0, 1.5);
                     });
                   },
                   true});
  knobs.push_back({"dead zone", [=](QuantizeSettings& s, bool up, double extent) {
                     return turnAll(
                         s, withLevels(s, large), &QuantizeRule::deadZone, [&](double zone) {
                           return std::clamp(zone + (up ? 0.08 : -0.08) * extent, 0.05, 0.5);
                         });
                   }});
  if (large.size() > matrices.size()) {
    knobs.push_back({"rank of embeddings", [=](QuantizeSettings& s, bool up, double) {
                       return turnAll(s, {TensorKind::Embedding}, &QuantizeRule::rank,
                                      [&](unsigned rank) { return turnRank(rank, up); });
                     }});
  }
  return knobs;
}

/// Turns each knob as long as that saves bytes at equal divergence.
Result<QuantizeSettings> ScaleSearch::tuned(QuantizeSettings settings, double extent) {
  STRATA_TRY(const Trial* trial, log_.run(settings, "step scale"));
  double merit = meritOf(*trial);
  // The error of the weights rewards shrinkage, which costs a model more than the noise it spares.
  const bool hidesShrinkage = options_.target.bytes && !trial->measured.evaluation;
  for (const Knob& knob : knobsOf(kinds_)) {
    if (hidesShrinkage && knob.makesUpForShrinkage) continue;
    bool hasGained = false;
    for (const bool up : {true, false}) {
      while (mayTry()) {
        QuantizeSettings other = settings;
        if (!knob.turn(other, up, extent)) break;
        const std::string what = fmt::format("{} {}", knob.what, up ? "up" : "down");
        STRATA_TRY(const bool isAccepted, isBetter(other, what, &merit));
        if (!isAccepted) break;
        settings = std::move(other);
        hasGained = true;
      }
      if (hasGained) break;
    }
  }
  return settings;
}

}  // namespace

Result<void> searchScale(TrialLog& log, const SearchOptions& options) {
  return ScaleSearch(log, options).run();
}

}  // namespace strata
