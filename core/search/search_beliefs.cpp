#include "core/search/search_beliefs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata {
namespace {

constexpr double kNoise = 0.15;       // of logarithms of divergences, beforehand
constexpr double kModelError = 0.04;  // of logarithms that no noise is in
constexpr double kNoiseCount = 3;     // as if seen in so many trials
/// Trials this far away, in knobs or in steps of kFar, count half.
constexpr double kHalfway = 4;
constexpr double kFar = 0.4;
/// By how much losses are off what is believed of them, in logarithms, and alike within so many
/// notches or such a factor of steps.
constexpr double kMisfit = 0.15;
constexpr double kAlikeNotches = 2;
constexpr double kAlikeSteps = 0.4;
/// Losses of turned knobs this far beyond the limit, in logarithms, and no losses at all are all
/// alike: the model is as good as lost there.
constexpr double kFailedBeyond = 1.5;

/// What stands for the loss of a trial and is smooth: the divergence, else the weight-space error.
double smoothLoss(const Measured& measured) noexcept {
  constexpr double kLeast = 1e-12;
  const auto& evaluation = measured.evaluation;
  if (evaluation && evaluation->divergence) return std::max(*evaluation->divergence, kLeast);
  return std::max(measured.relativeError * measured.relativeError, kLeast);
}

double bytesOf(const KindGroup& group, const Measured& measured) {
  double sum = 0;
  for (const TensorKind kind : group.kinds) {
    const auto found = measured.kindBytes.find(kind);
    if (found != measured.kindBytes.end()) sum += static_cast<double>(found->second);
  }
  return std::max(sum, 1.0);
}

}  // namespace

SeenPoint seenPoint(SearchPoint point, const Trial& trial, bool passes) {
  const auto stored = static_cast<double>(trial.measured.storedBytes);
  return {std::move(point), &trial, std::log(std::max(stored, 1.0)),
          std::log(smoothLoss(trial.measured)), passes};
}

SearchBeliefs::SearchBeliefs(const KnobSpace& space, const SeenPoint& origin,
                             std::span<const SeenPoint> seen, std::span<const SizedPoint> sized,
                             std::span<const SeenPoint> expected, const TrialGate& gate,
                             bool isNoisy)
    : space_(space),
      origin_(origin),
      isNoisy_(isNoisy),
      acting_(space.groups.size()),
      misfit_(kMisfit) {
  otherBytes_ = std::exp(origin.bytes);
  for (const KindGroup& group : space.groups) {
    groupBytes_.push_back(bytesOf(group, origin.trial->measured));
    otherBytes_ -= groupBytes_.back();
  }
  otherBytes_ = std::max(otherBytes_, 1.0);
  for (std::size_t k = 0; k < space.knobs.size(); ++k) {
    if (space.knobs[k].stepNotch != 0) continue;
    for (const std::size_t g : space.knobs[k].groups) acting_[g].push_back(k);
    if (space.knobs[k].curve.deviation > 0) curved_.push_back(k);
  }
  learnBytes(seen, sized);
  learnLosses(seen, expected, gate);
}

/// `point` against the origin.
AdditiveBelief::Place SearchBeliefs::placeOf(const SearchPoint& point) const {
  AdditiveBelief::Place place{
      std::vector<double>(space_.groups.size(), point.scale - origin_.point.scale), {}};
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    const Knob& knob = space_.knobs[k];
    place.notches.push_back(point.notches[k] - origin_.point.notches[k]);
    if (knob.stepNotch == 0) continue;
    for (const std::size_t g : knob.groups) place.steps[g] += knob.stepNotch * place.notches[k];
  }
  for (const std::size_t k : curved_) {
    const double from = origin_.point.notches[k];
    place.notches.push_back(point.notches[k] * point.notches[k] - from * from);
  }
  return place;
}

double SearchBeliefs::weightOf(const AdditiveBelief::Place& place) const {
  double distance = 0;
  for (const double step : place.steps) {
    distance += std::abs(step) / (kFar * static_cast<double>(place.steps.size()));
  }
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    if (space_.knobs[k].stepNotch == 0) distance += std::abs(place.notches[k]);
  }
  return 1 / (1 + std::pow(distance / kHalfway, 2));
}

/// Where the additive belief is off alike.
std::vector<double> SearchBeliefs::nearness(const AdditiveBelief::Place& place) const {
  std::vector<double> near;
  for (const double step : place.steps) {
    near.push_back(step / (kAlikeSteps * std::sqrt(static_cast<double>(place.steps.size()))));
  }
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    if (space_.knobs[k].stepNotch == 0) near.push_back(place.notches[k] / kAlikeNotches);
  }
  return near;
}

std::vector<double> SearchBeliefs::byteFeatures(std::size_t group,
                                                const AdditiveBelief::Place& place) const {
  std::vector<double> features{1, place.steps[group]};
  for (const std::size_t k : acting_[group]) features.push_back(place.notches[k]);
  return features;
}

void SearchBeliefs::learnBytes(std::span<const SeenPoint> seen, std::span<const SizedPoint> sized) {
  constexpr LinearBelief::Prior kPower{-1.3, 0.5};
  for (std::size_t g = 0; g < space_.groups.size(); ++g) {
    std::vector<LinearBelief::Prior> priors{{std::log(groupBytes_[g]), 1}, kPower};
    for (const std::size_t k : acting_[g]) priors.push_back(space_.knobs[k].bytes);
    std::vector<LinearBelief::Observation> observations;
    const auto add = [&](const SearchPoint& point, const Measured& measured) {
      const AdditiveBelief::Place place = placeOf(point);
      observations.push_back(
          {byteFeatures(g, place), std::log(bytesOf(space_.groups[g], measured)), weightOf(place)});
    };
    for (const SeenPoint& other : seen) {
      if (other.isMeasured()) add(other.point, other.trial->measured);
    }
    for (const auto& [point, measured] : sized) add(point, measured);
    bytes_.emplace_back(priors, kModelError, kNoiseCount);
    bytes_.back().learn(observations);
  }
}

void SearchBeliefs::learnLosses(std::span<const SeenPoint> seen,
                                std::span<const SeenPoint> expected, const TrialGate& gate) {
  const double most = std::max(gate.limit, origin_.loss) + kFailedBeyond;
  std::vector<AdditiveBelief::Observation> observations;
  double sum = 0;
  double weights = 0;
  const auto add = [&](const SeenPoint& other, bool isMeasured) {
    const bool isTurned = other.point.notches != origin_.point.notches;
    const double loss = !isMeasured || (isTurned && other.loss > most) ? most : other.loss;
    AdditiveBelief::Place place = placeOf(other.point);
    sum += weightOf(place) * loss;
    weights += weightOf(place);
    observations.push_back({std::move(place), loss});
  };
  for (const SeenPoint& other : seen) add(other, other.isMeasured());
  for (const SeenPoint& other : expected) add(other, true);
  // Settings that begin well spend bytes where they save loss: a group's part of both is alike.
  constexpr double kUnlike = 1;
  constexpr LinearBelief::Prior kPower{2, 0.5};
  double all = 0;
  for (const double bytes : groupBytes_) all += bytes;
  std::vector<AdditiveBelief::Group> groups;
  for (std::size_t g = 0; g < space_.groups.size(); ++g) {
    groups.push_back({{std::log(groupBytes_[g] / all), kUnlike}, kPower, acting_[g]});
  }
  std::vector<LinearBelief::Prior> effects;
  for (const Knob& knob : space_.knobs) effects.push_back(knob.loss);
  for (const std::size_t k : curved_) {
    for (const std::size_t g : space_.knobs[k].groups) groups[g].knobs.push_back(effects.size());
    effects.push_back(space_.knobs[k].curve);
  }
  losses_.emplace(LinearBelief::Prior{sum / std::max(weights, 1e-9), 3}, std::move(groups), effects,
                  isNoisy_ ? kNoise : kModelError, kNoiseCount);
  losses_->learn(observations);
  std::vector<NearbyBelief::Observation> misfits;
  for (const auto& [place, value] : observations) {
    misfits.push_back({nearness(place), value - losses_->guess(place).mean, losses_->noise()});
  }
  misfit_.learn(std::move(misfits));
}

bool SearchBeliefs::areAlike(const SearchPoint& a, const SearchPoint& b) const {
  const std::vector<double> one = nearness(placeOf(a));
  const std::vector<double> other = nearness(placeOf(b));
  double squared = 0;
  for (std::size_t i = 0; i < one.size(); ++i) squared += std::pow(one[i] - other[i], 2);
  return squared < 1;
}

SearchBeliefs::Guess SearchBeliefs::guess(const SearchPoint& point) const {
  const AdditiveBelief::Place place = placeOf(point);
  double bytes = otherBytes_;
  for (std::size_t g = 0; g < bytes_.size(); ++g) {
    bytes += std::exp(bytes_[g].guess(byteFeatures(g, place)).mean);
  }
  const AdditiveBelief& losses = *losses_;
  const auto loss = losses.guess(place);
  const auto misfit = misfit_.guess(nearness(place));
  const double variance = loss.variance + misfit.variance + losses.noise() * losses.noise();
  return {std::log(bytes), loss.mean + misfit.mean, std::sqrt(variance), losses.noise()};
}

}  // namespace strata
