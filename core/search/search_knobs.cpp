#include "core/search/search_knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/search/kind_knobs.h"

namespace strata {
namespace {

constexpr double kStepNotch = 1.25;
constexpr double kFactorNotch = 1.4;
constexpr double kGainNotch = 0.05;
constexpr double kDeadZoneNotch = 0.06;
constexpr std::array<unsigned, 7> kRanks = {0, 2, 4, 8, 16, 32, 64};

// Families of knobs.
constexpr unsigned kLowRank = 1;
constexpr unsigned kSensitivity = 2;

bool isLargeMatrix(TensorKind kind) noexcept {
  return kind == TensorKind::Attention || kind == TensorKind::Linear ||
         kind == TensorKind::Convolution || kind == TensorKind::Unknown;
}

/// A kind of its own where it is a good part of the model; all others together, because a trial
/// that changes a hundredth of the bytes tells little.
std::vector<KindGroup> groupsOf(const std::vector<KindShare>& kinds) {
  constexpr double kLeastShare = 0.02;
  std::vector<KindGroup> groups;
  KindGroup rest{"small kinds", {}};
  for (const KindShare& part : kinds) {
    if (part.share >= kLeastShare) {
      groups.push_back({std::string(name(part.kind)), {part.kind}, part.share});
    } else {
      rest.kinds.push_back(part.kind);
      rest.share += part.share;
    }
  }
  if (rest.kinds.size() == 1) rest.what = name(rest.kinds.front());
  if (!rest.kinds.empty()) groups.push_back(std::move(rest));
  return groups;
}

/// Whether a step means something to a kind: not where low rank is all there is.
bool hasStep(const QuantizeSettings& settings, TensorKind kind) {
  return kindCodec(settings, kind) != CodecId::Patterns ||
         kindValue(settings, kind, &QuantizeRule::patternLength) != 0U;
}

/// `rank` moved along the ladder.
unsigned movedRank(unsigned rank, int notches) {
  if (notches == 0) return rank;
  const auto found = std::upper_bound(kRanks.begin(), kRanks.end(), rank);
  const auto place = static_cast<int>(found - kRanks.begin()) - 1 + notches;
  return kRanks[static_cast<std::size_t>(
      std::clamp<int>(place, 0, static_cast<int>(kRanks.size()) - 1))];
}

class KnobMaker {
 public:
  KnobMaker(const QuantizeSettings& start, const SearchOptions& options, bool hasScore)
      : start_(start), options_(options), hasScore_(hasScore), space_{groupsOf(options.kinds), {}} {
    for (const KindShare& part : options.kinds) {
      if (isLargeMatrix(part.kind)) matrices_.push_back(part.kind);
    }
    large_ = matrices_;
    if (has(TensorKind::Embedding)) large_.push_back(TensorKind::Embedding);
  }

  KnobSpace make() {
    addSteps();
    if (!matrices_.empty()) addMatrices();
    if (has(TensorKind::Embedding)) addRank("rank of embeddings", {TensorKind::Embedding});
    addGain();
    addDeadZone();
    addSensitivity();
    return std::move(space_);
  }

 private:
  bool has(TensorKind kind) const {
    return std::any_of(options_.kinds.begin(), options_.kinds.end(),
                       [&](const KindShare& part) { return part.kind == kind; });
  }

  /// `knob`, which acts on tensors of `kinds`.
  void add(const std::vector<TensorKind>& kinds, Knob knob) {
    for (std::size_t g = 0; g < space_.groups.size(); ++g) {
      const auto& members = space_.groups[g].kinds;
      const bool acts = std::any_of(members.begin(), members.end(), [&](TensorKind kind) {
        return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
      });
      if (acts) knob.groups.push_back(g);
    }
    space_.knobs.push_back(std::move(knob));
  }

  void addSteps() {
    if (space_.groups.size() < 2) return;
    for (const KindGroup& group : space_.groups) {
      std::vector<TensorKind> kinds;
      for (const TensorKind kind : group.kinds) {
        if (hasStep(start_, kind)) kinds.push_back(kind);
      }
      if (kinds.empty()) continue;
      add(kinds, {.what = group.what + " step",
                  .least = -16,
                  .most = 16,
                  .probe = 2,
                  .stepNotch = std::log(kStepNotch),
                  .turn = [kinds](QuantizeSettings& settings, int notches) {
                    for (const TensorKind kind : kinds) {
                      scaleStep(settings, kind, std::pow(kStepNotch, notches));
                    }
                  }});
    }
  }

  /// Turns `field` of the rules of all `kinds`.
  template <typename T, typename Change>
  static auto turnField(const std::vector<TensorKind>& kinds, std::optional<T> QuantizeRule::*field,
                        Change change) {
    return [=](QuantizeSettings& settings, int notches) {
      for (const TensorKind kind : kinds) {
        std::optional<T>& value = kindRule(settings, kind).*field;
        value = change(*value, notches);
      }
    };
  }

  unsigned mostRank(const std::vector<TensorKind>& kinds) const {
    unsigned most = 0;
    for (const TensorKind kind : kinds) {
      most = std::max(most, kindValue(start_, kind, &QuantizeRule::rank).value_or(0));
    }
    return most;
  }

  /// Whether a notch or two from a rank there is none, which is always worth trying.
  static bool isNearNone(unsigned rank) { return rank > 0 && movedRank(rank, -2) == 0; }

  void addRank(std::string what, const std::vector<TensorKind>& kinds) {
    const unsigned most = mostRank(kinds);
    int down = 0;
    while (movedRank(most, -down) > 0) ++down;
    int up = 0;
    while (movedRank(most, up) < kRanks.back()) ++up;
    add(kinds, {.what = std::move(what),
                .least = -down,
                .most = up,
                .probe = isNearNone(most) ? -down
                         : up > 0         ? 1
                                          : 0,
                .bytes = {0.05, 0.2},
                .loss = {-0.05, 0.15},
                .turn = turnField(kinds, &QuantizeRule::rank, movedRank)});
  }

  void addMatrices() {
    addRank("rank of the matrices", matrices_);
    const std::vector<TensorKind> matrices = matrices_;
    add(matrices,
        {.what = "factor step",
         .least = -3,
         .most = 3,
         .bytes = {-0.05, 0.1},
         .loss = {0.05, 0.15},
         .turn = turnField(matrices, &QuantizeRule::factorStep, [](double step, int notches) {
           const double factor = std::pow(kFactorNotch, notches);
           return toFiveDigits(std::clamp(step * factor, 0.1, 4.0));
         })});
    if (mostRank(matrices) > 0 && !isNearNone(mostRank(matrices))) {
      add(matrices, {.what = "matrices without low rank",
                     .most = 1,
                     .family = kLowRank,
                     .probe = 1,
                     .bytes = {-0.3, 0.4},
                     .loss = {0.3, 0.4},
                     .turn = [matrices, start = start_](QuantizeSettings& settings, int) {
                       for (const TensorKind kind : matrices) {
                         QuantizeRule& rule = kindRule(settings, kind);
                         rule.rank = 0U;
                         rule.factorStep = kindValue(start, kind, &QuantizeRule::factorStep);
                       }
                     }});
    }
    const bool arePatterns = std::any_of(matrices.begin(), matrices.end(), [&](TensorKind kind) {
      return kindCodec(start_, kind) == CodecId::Patterns;
    });
    // An error counts the words of embeddings like all others.
    const bool isByError = options_.target.error || (options_.target.bytes && !hasScore_);
    const std::vector<TensorKind> kinds = isByError ? large_ : matrices_;
    add(kinds, {.what = arePatterns ? "levels for the matrices" : "patterns for the matrices",
                .most = 1,
                .probe = 1,
                .changesCodec = true,
                .bytes = {0, 0.5},
                .loss = {0, 0.5},
                .turn = [=](QuantizeSettings& settings, int) {
                  for (const TensorKind kind : kinds) {
                    kindRule(settings, kind).codec =
                        arePatterns ? CodecId::Levels : CodecId::Patterns;
                  }
                }});
  }

  void addGain() {
    // The error of the weights rewards shrinkage, which costs a model more than the noise it
    // spares.
    if (large_.empty() || (options_.target.bytes && !hasScore_)) return;
    add(large_, {.what = "gain",
                 .least = -6,
                 .most = 4,
                 .probe = -1,
                 .bytes = {0, 0.02},
                 .loss = {0, 0.05},
                 .curve = {0.1, 0.1},  // an unbiased remainder is best, or nearly so
                 .turn = turnField(large_, &QuantizeRule::gain, [](double gain, int notches) {
                   return std::clamp(gain + kGainNotch * notches, 0.0, 1.5);
                 })});
  }

  void addDeadZone() {
    std::vector<TensorKind> kinds;
    for (const TensorKind kind : large_) {
      if (kindCodec(start_, kind) == CodecId::Levels) kinds.push_back(kind);
    }
    if (kinds.empty()) return;
    add(kinds, {.what = "dead zone",
                .least = -4,
                .most = 4,
                .bytes = {0.1, 0.1},
                .loss = {-0.05, 0.1},
                .turn = turnField(kinds, &QuantizeRule::deadZone, [](double zone, int notches) {
                  return std::clamp(zone + kDeadZoneNotch * notches, 0.05, 0.5);
                })});
  }

  /// The other ways to use that errors do not mean the same everywhere. What is known beforehand
  /// differs: gradients, or norms, which go with them in convolutions.
  void addSensitivity() {
    const bool isInformed = options_.hasGradients || has(TensorKind::Convolution);
    const Sensitivity given = start_.sensitivity;
    std::vector<TensorKind> all;
    for (const KindShare& part : options_.kinds) all.push_back(part.kind);
    const auto offer = [&](Sensitivity wanted) {
      if (wanted == given) return;
      add(all,
          {.what = fmt::format("sensitivity of {}", name(wanted)),
           .most = 1,
           .family = kSensitivity,
           .probe = 1,
           .bytes = {0, 0.05},
           .loss = {0, 0.25},
           .turn = [wanted](QuantizeSettings& settings, int) { settings.sensitivity = wanted; }});
    };
    offer(Sensitivity::Rows);
    if (isInformed) offer(Sensitivity::None);
    if (given == Sensitivity::None || !isInformed) offer(Sensitivity::Tensors);
  }

  const QuantizeSettings& start_;
  const SearchOptions& options_;
  bool hasScore_;
  std::vector<TensorKind> matrices_;
  std::vector<TensorKind> large_;
  KnobSpace space_;
};

}  // namespace

KnobSpace knobsOf(const QuantizeSettings& start, const SearchOptions& options, bool hasScore) {
  return KnobMaker(start, options, hasScore).make();
}

QuantizeSettings turned(const QuantizeSettings& start, const std::vector<Knob>& knobs,
                        const std::vector<int>& notches) {
  QuantizeSettings settings = start;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (notches[k] != 0) knobs[k].turn(settings, notches[k]);
  }
  return settings;
}

std::string turnText(const std::vector<Knob>& knobs, const std::vector<int>& notches) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (notches[k] == 0) continue;
    const bool isSwitch = knobs[k].least == 0 && knobs[k].most == 1;
    parts.push_back(isSwitch ? knobs[k].what : fmt::format("{} {:+}", knobs[k].what, notches[k]));
  }
  return parts.empty() ? "as given" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace strata
