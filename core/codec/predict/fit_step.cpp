#include "core/codec/predict/fit_step.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace strata {
namespace {

using kernels::DenominatorForm;
using kernels::GradientForm;
using kernels::SquareForm;
using kernels::UpdateForm;

using Words = std::span<const std::uint32_t>;

/// Shares below this are no reason to predict.
constexpr double kLeastShare = 0.5;
/// Neighbours of a rate, in last places of f32, that are tried as well.
constexpr int kNeighbours = 12;

/// Words that changed and are predicted: those that did not change tell nothing of a variant.
double shareEqual(Words predicted, Words old, Words words) {
  std::size_t changed = 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == old[i] && predicted[i] == old[i]) continue;
    ++changed;
    equal += predicted[i] == words[i] ? 1U : 0U;
  }
  if (changed == 0) return words.empty() ? 0 : 1;
  return static_cast<double>(equal) / static_cast<double>(changed);
}

double valueOf(std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }

/// Half a last place of a number of f32.
double halfPlace(double value) {
  const auto v = static_cast<float>(std::fabs(value));
  return (static_cast<double>(std::nextafter(v, INFINITY)) - static_cast<double>(v)) / 2;
}

/// Rates that a word allows: its change is the rate times `quotient`, up to rounding.
struct Allowed {
  double low;
  double high;
};

/// The rate that most words allow; 0 where there are none.
double commonRate(const std::vector<Allowed>& ranges) {
  std::vector<std::pair<double, int>> ends;
  ends.reserve(ranges.size() * 2);
  for (const Allowed& range : ranges) {
    ends.emplace_back(range.low, -1);  // sorts before an end of the same place
    ends.emplace_back(range.high, 1);
  }
  std::sort(ends.begin(), ends.end());
  int open = 0;
  int most = 0;
  double best = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    open -= ends[i].second;
    if (open <= most) continue;
    most = open;
    best = (ends[i].first + ends[i + 1].first) / 2;
  }
  return best;
}

class StepFit {
 public:
  StepFit(const StepSettings& settings, const StepSample& sample)
      : settings_(settings), sample_(sample) {
    best_.step.beta1 = settings.beta1;
    best_.step.beta2 = settings.beta2;
    best_.step.squareShare = 1 - settings.beta2;
    best_.step.eps = settings.eps;
    if (settings.step != 0) best_.step.setNumber(settings.step);
    if (!hasSquares()) best_.step.correction1 = 1;  // SGD corrects nothing
  }

  std::optional<FittedStep> run() {
    if (hasSquares() && !sample_.v0.empty()) fitSquares();
    if (!sample_.w0.empty() && !sample_.m1.empty()) fitWeights();
    if (std::max(best_.secondMomentShare, best_.weightShare) < kLeastShare) return std::nullopt;
    return best_;
  }

 private:
  bool hasSquares() const { return !sample_.v1.empty(); }

  void fitSquares() {
    predicted_.resize(sample_.v1.size());
    for (const auto gradient : {GradientForm::Axpy, GradientForm::Lerp, GradientForm::Double}) {
      for (const auto square : {SquareForm::Fused, SquareForm::Rounded, SquareForm::Double}) {
        AdamStep step = best_.step;
        step.variant.gradient = gradient;
        step.variant.square = square;
        predictSecondMoment(step, sample_.m0, sample_.m1, sample_.v0, predicted_);
        const double share = shareEqual(predicted_, sample_.v0, sample_.v1);
        if (share <= best_.secondMomentShare) continue;
        best_.secondMomentShare = share;
        best_.step.variant = step.variant;
      }
    }
  }

  void fitWeights() {
    predicted_.resize(sample_.w1.size());
    best_.step.variant.update = hasSquares() ? UpdateForm::Scaled : UpdateForm::FusedMomentum;
    for (const double decay : {settings_.weightDecay, 0.0}) {
      AdamStep step = best_.step;
      step.weightDecay = decay;
      for (const double rate : settings_.rates) tryRate(step, rate);
      if (best_.weightShare > kSurely) break;
      tryRatesNear(step, rateOf(step));
    }
    tryVariants();
  }

  void tryStep(const AdamStep& step) {
    predictWeights(step, sample_.w0, sample_.m1, hasSquares() ? sample_.v1 : Words{}, predicted_);
    const double share = shareEqual(predicted_, sample_.w0, sample_.w1);
    if (share <= best_.weightShare) return;
    best_.weightShare = share;
    best_.step = step;
  }

  void tryRate(AdamStep step, double rate) {
    step.lr = rate;
    tryStep(step);
  }

  /// The rate over the first correction is a number of f32; so are its neighbours.
  void tryRatesNear(const AdamStep& step, double scaled) {
    auto rate = static_cast<float>(scaled);
    if (!(rate > 0) || !std::isfinite(rate)) return;
    for (int i = 0; i < kNeighbours; ++i) rate = std::nextafter(rate, 0.0F);
    for (int i = -kNeighbours; i <= kNeighbours; ++i) {
      tryRate(step, static_cast<double>(rate) * step.correction1);
      rate = std::nextafter(rate, INFINITY);
    }
  }

  /// The rate over the first correction that the words tell.
  double rateOf(AdamStep step) const {
    double scaled = 0;
    // What decay takes off depends on the rate, too: a second look knows it well enough.
    for (int look = 0; look < 3; ++look) {
      step.lr = scaled * step.correction1;
      scaled = commonRate(allowedRates(step));
    }
    return scaled;
  }

  std::vector<Allowed> allowedRates(const AdamStep& step) const {
    const auto factor = static_cast<double>(static_cast<float>(1 - step.lr * step.weightDecay));
    const double root = std::sqrt(step.correction2);
    std::vector<Allowed> ranges;
    for (std::size_t i = 0; i < sample_.w0.size(); ++i) {
      if (sample_.w0[i] == sample_.w1[i]) continue;
      const double denominator =
          hasSquares() ? std::sqrt(valueOf(sample_.v1[i])) / root + step.eps : 1.0;
      const double quotient = valueOf(sample_.m1[i]) / denominator;
      const double now = valueOf(sample_.w1[i]);
      const double rate = (valueOf(sample_.w0[i]) * factor - now) / quotient;
      const double slack = 1.5 * halfPlace(now) / std::fabs(quotient) + std::fabs(rate) * 0x1p-22;
      if (std::isfinite(rate) && std::isfinite(slack))
        ranges.push_back({rate - slack, rate + slack});
    }
    return ranges;
  }

  void tryVariants() {
    const AdamStep found = best_.step;
    for (const bool decaysInDouble : {false, true}) {
      AdamStep step = found;
      step.variant.decaysInDouble = decaysInDouble;
      if (!hasSquares()) {
        tryForm(step, UpdateForm::Momentum);
        tryForm(step, UpdateForm::FusedMomentum);
        continue;
      }
      for (const auto denominator : {DenominatorForm::Divided, DenominatorForm::Multiplied}) {
        step.variant.denominator = denominator;
        tryForm(step, UpdateForm::Scaled);
        tryForm(step, UpdateForm::Quotient);
        tryForm(step, UpdateForm::FusedQuotient);
      }
    }
  }

  void tryForm(AdamStep step, UpdateForm form) {
    step.variant.update = form;
    tryStep(step);
  }

  /// A share that a wrong rate does not reach.
  static constexpr double kSurely = 0.98;

  const StepSettings& settings_;
  const StepSample& sample_;
  FittedStep best_;
  std::vector<std::uint32_t> predicted_;
};

}  // namespace

std::optional<FittedStep> fitStep(const StepSettings& settings, const StepSample& sample) {
  return StepFit(settings, sample).run();
}

}  // namespace strata
