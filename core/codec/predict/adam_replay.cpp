#include "core/codec/predict/adam_replay.h"

#include <cassert>
#include <cmath>

#include "core/float_environment.h"

namespace strata {
namespace {

using kernels::DenominatorForm;
using kernels::GradientForm;
using kernels::SquareForm;
using kernels::UpdateForm;

const float* valuesOf(std::span<const std::uint32_t> words) noexcept {
  return reinterpret_cast<const float*>(words.data());
}

double asFloat(double value) noexcept { return static_cast<double>(static_cast<float>(value)); }

kernels::SquareTerms squareTerms(const AdamStep& step) noexcept {
  const double share = 1 - step.beta1;
  const bool isDouble = step.variant.gradient == GradientForm::Double;
  return {.gradient = step.variant.gradient,
          .form = step.variant.square,
          .beta1 = step.beta1,
          .inverse = 1 / (isDouble ? share : asFloat(share)),
          .beta2 = step.beta2,
          .share = step.squareShare};
}

kernels::UpdateTerms updateTerms(const AdamStep& step) noexcept {
  const double root = std::sqrt(step.correction2);
  const bool isDivided = step.variant.denominator == DenominatorForm::Divided;
  return {.denominator = step.variant.denominator,
          .form = step.variant.update,
          .decaysInDouble = step.variant.decaysInDouble,
          .decay = step.lr * step.weightDecay,
          .root = static_cast<float>(isDivided ? root : 1 / root),
          .epsilon = static_cast<float>(step.eps),
          .rate = static_cast<float>(-(step.lr / step.correction1)),
          .earlierRate = static_cast<float>(-(step.earlierLr / step.correction1))};
}

}  // namespace

void AdamStep::setNumber(std::uint64_t step) {
  correction1 = 1 - std::pow(beta1, static_cast<double>(step));
  correction2 = 1 - std::pow(beta2, static_cast<double>(step));
}

void predictSecondMoment(const AdamStep& step, std::span<const std::uint32_t> m0,
                         std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v0,
                         std::span<std::uint32_t> out) {
  assert(m0.size() == out.size() && m1.size() == out.size() && v0.size() == out.size());
  const DefaultFloatEnvironment environment;
  kernels::bestReplayKernels().secondMoment(squareTerms(step), valuesOf(m0), valuesOf(m1),
                                            valuesOf(v0), out.size(),
                                            reinterpret_cast<float*>(out.data()));
}

void predictWeights(const AdamStep& step, std::span<const std::uint32_t> w0,
                    std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v1,
                    std::span<std::uint32_t> out, std::span<const std::uint32_t> m0) {
  assert(w0.size() == out.size() && m1.size() == out.size());
  assert(!usesSecondMoment(step) || v1.size() == out.size());
  assert(!usesEarlierMoment(step) || m0.size() == out.size());
  const DefaultFloatEnvironment environment;
  const kernels::UpdateSources from{valuesOf(w0), valuesOf(m1), valuesOf(v1), valuesOf(m0)};
  kernels::bestReplayKernels().weights(updateTerms(step), from, out.size(),
                                       reinterpret_cast<float*>(out.data()));
}

void predictRow(const AdamStep& step, const RowDrift& row, std::span<const std::uint32_t> w0,
                std::span<const std::uint32_t> m1, std::span<const std::uint32_t> v1,
                std::span<const std::uint32_t> m0, std::span<std::uint32_t> out) {
  assert(w0.size() == out.size() && m1.size() == out.size());
  assert(v1.size() == out.size() && m0.size() == out.size());
  const DefaultFloatEnvironment environment;
  const kernels::ReplayKernels& kernel = kernels::bestReplayKernels();
  const kernels::UpdateSources from{valuesOf(w0), valuesOf(m1), valuesOf(v1), valuesOf(m0)};
  auto* const to = reinterpret_cast<float*>(out.data());
  kernels::UpdateTerms terms = updateTerms(step);
  terms.rate = row.rate;
  terms.earlierRate = row.earlierRate;
  if (row.share == nullptr) return kernel.weights(terms, from, out.size(), to);
  kernels::SquareTerms squares = squareTerms(step);
  squares.share = static_cast<double>(*row.share);
  kernel.weightsOfOne(terms, squares, from, out.size(), to);
}

bool usesSecondMoment(const AdamStep& step) noexcept {
  const UpdateForm form = step.variant.update;
  return form != UpdateForm::Momentum && form != UpdateForm::FusedMomentum;
}

bool usesEarlierMoment(const AdamStep& step) noexcept {
  return step.variant.update == UpdateForm::Drift;
}

void writeAdamStep(ByteWriter& out, const AdamStep& step) {
  const AdamVariant& v = step.variant;
  out.byte(static_cast<std::uint8_t>(v.gradient));
  out.byte(static_cast<std::uint8_t>(v.square));
  out.byte(static_cast<std::uint8_t>(v.denominator));
  out.byte(static_cast<std::uint8_t>(v.update));
  out.byte(v.decaysInDouble ? 1 : 0);
  for (const double number : {step.lr, step.beta1, step.beta2, step.eps, step.weightDecay,
                              step.correction1, step.correction2}) {
    out.fixed(number);
  }
  if (!usesEarlierMoment(step)) return;
  out.fixed(step.squareShare);
  out.fixed(step.earlierLr);
}

namespace {

/// Reads a number that keeps every constant worked out from it within f32; false else.
bool readNumber(ByteReader& in, double& number) {
  number = in.fixed<double>();
  return std::fabs(number) < 1e18;
}

}  // namespace

std::optional<AdamStep> readAdamStep(ByteReader& in) {
  AdamStep step;
  step.variant.gradient = static_cast<GradientForm>(in.byte());
  step.variant.square = static_cast<SquareForm>(in.byte());
  step.variant.denominator = static_cast<DenominatorForm>(in.byte());
  step.variant.update = static_cast<UpdateForm>(in.byte());
  const std::uint8_t decay = in.byte();
  step.variant.decaysInDouble = decay == 1;
  const bool isKnown = step.variant.gradient <= GradientForm::Double &&
                       step.variant.square <= SquareForm::Double &&
                       step.variant.denominator <= DenominatorForm::Multiplied &&
                       step.variant.update <= UpdateForm::Drift && decay <= 1;
  for (double* number : {&step.lr, &step.beta1, &step.beta2, &step.eps, &step.weightDecay,
                         &step.correction1, &step.correction2}) {
    if (!readNumber(in, *number)) return std::nullopt;
  }
  step.squareShare = 1 - step.beta2;
  if (usesEarlierMoment(step)) {
    if (!readNumber(in, step.squareShare) || !readNumber(in, step.earlierLr)) return std::nullopt;
  }
  const bool divides =
      step.correction1 > 1e-18 && step.correction2 > 1e-18 && 1 - step.beta1 > 1e-18;
  if (in.failed() || !isKnown || !divides) return std::nullopt;
  return step;
}

}  // namespace strata
