#pragma once

// Optimizer steps, compiled once per instruction set like the loops of loops.h.

#include <bit>
#include <cmath>

#include "kernels/replay_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// `product` + c as one rounding would give it. The product of two floats is exact in f64. The sum
/// is rounded to odd there, so that the second rounding cannot err.
inline float fusedSum(double product, double c) noexcept {
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  const bool isInexact = error < 0 || error > 0;
  const std::int64_t outwards = (error > 0) == (sum > 0) ? 1 : -1;
  const std::int64_t step = isInexact && (bits & 1) == 0 ? outwards : 0;
  return static_cast<float>(std::bit_cast<double>(bits + step));
}

inline float numberOr(float value, float old) noexcept { return value == value ? value : old; }

template <GradientForm kGradient>
inline float gradient(const SquareTerms& terms, float m0, float m1) noexcept {
  const double old = m0;
  const double now = m1;
  if constexpr (kGradient == GradientForm::Lerp) {
    return static_cast<float>(old + (now - old) * terms.inverse);
  } else if constexpr (kGradient == GradientForm::Double) {
    return static_cast<float>((now - terms.beta1 * old) * terms.inverse);
  } else {
    const float kept = static_cast<float>(terms.beta1) * m0;
    return static_cast<float>((now - static_cast<double>(kept)) * terms.inverse);
  }
}

template <GradientForm kGradient, SquareForm kForm>
void secondMomentLoop(const SquareTerms& terms, const float* m0, const float* m1, const float* v0,
                      std::size_t count, float* out) noexcept {
  const auto beta2 = static_cast<float>(terms.beta2);
  const auto share = static_cast<float>(terms.share);
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient<kGradient>(terms, m0[i], m1[i]);
    float v;
    if constexpr (kForm == SquareForm::Double) {
      const double wide = g;
      v = static_cast<float>(terms.beta2 * static_cast<double>(v0[i]) + terms.share * wide * wide);
    } else if constexpr (kForm == SquareForm::Fused) {
      const float scaled = share * g;
      const float kept = beta2 * v0[i];
      v = fusedSum(static_cast<double>(scaled) * static_cast<double>(g), static_cast<double>(kept));
    } else {
      v = beta2 * v0[i] + share * g * g;
    }
    out[i] = numberOr(v, v0[i]);
  }
}

template <GradientForm kGradient>
void secondMomentOf(const SquareTerms& terms, const float* m0, const float* m1, const float* v0,
                    std::size_t count, float* out) noexcept {
  switch (terms.form) {
    case SquareForm::Fused:
      return secondMomentLoop<kGradient, SquareForm::Fused>(terms, m0, m1, v0, count, out);
    case SquareForm::Rounded:
      return secondMomentLoop<kGradient, SquareForm::Rounded>(terms, m0, m1, v0, count, out);
    case SquareForm::Double:
      return secondMomentLoop<kGradient, SquareForm::Double>(terms, m0, m1, v0, count, out);
  }
}

void secondMoment(const SquareTerms& terms, const float* m0, const float* m1, const float* v0,
                  std::size_t count, float* out) noexcept {
  switch (terms.gradient) {
    case GradientForm::Axpy:
      return secondMomentOf<GradientForm::Axpy>(terms, m0, m1, v0, count, out);
    case GradientForm::Lerp:
      return secondMomentOf<GradientForm::Lerp>(terms, m0, m1, v0, count, out);
    case GradientForm::Double:
      return secondMomentOf<GradientForm::Double>(terms, m0, m1, v0, count, out);
  }
}

template <UpdateForm kForm>
inline float updated(const UpdateTerms& terms, float w, float m, float earlier,
                     float denominator) noexcept {
  if constexpr (kForm == UpdateForm::Scaled) {
    return w + terms.rate * m / denominator;
  } else if constexpr (kForm == UpdateForm::Quotient) {
    return w + terms.rate * (m / denominator);
  } else if constexpr (kForm == UpdateForm::FusedQuotient) {
    const float quotient = m / denominator;
    return fusedSum(static_cast<double>(terms.rate) * static_cast<double>(quotient),
                    static_cast<double>(w));
  } else if constexpr (kForm == UpdateForm::Momentum) {
    return w + terms.rate * m;
  } else if constexpr (kForm == UpdateForm::FusedMomentum) {
    return fusedSum(static_cast<double>(terms.rate) * static_cast<double>(m),
                    static_cast<double>(w));
  } else {
    return w + (terms.rate * m + terms.earlierRate * earlier) / denominator;
  }
}

template <bool kDouble>
inline float decayed(const UpdateTerms& terms, float old) noexcept {
  if constexpr (kDouble) {
    const double wide = old;
    return static_cast<float>(wide - terms.decay * wide);
  } else {
    return old * static_cast<float>(1 - terms.decay);
  }
}

inline float denominatorOf(const UpdateTerms& terms, bool isDivided, float square) noexcept {
  const float root = __builtin_sqrtf(square);
  const float divided = root / terms.root;
  const float multiplied = root * terms.root;
  return (isDivided ? divided : multiplied) + terms.epsilon;
}

template <UpdateForm kForm, bool kDouble>
void weightLoop(const UpdateTerms& terms, const UpdateSources& from, std::size_t count,
                float* out) noexcept {
  constexpr bool kHasSquare = kForm != UpdateForm::Momentum && kForm != UpdateForm::FusedMomentum;
  const bool isDivided = terms.denominator == DenominatorForm::Divided;
  for (std::size_t i = 0; i < count; ++i) {
    const float old = from.w0[i];
    const float w = decayed<kDouble>(terms, old);
    float denominator = 1;
    if constexpr (kHasSquare) denominator = denominatorOf(terms, isDivided, from.v1[i]);
    float earlier = 0;
    if constexpr (kForm == UpdateForm::Drift) earlier = from.m0[i];
    out[i] = numberOr(updated<kForm>(terms, w, from.m1[i], earlier, denominator), old);
  }
}

template <UpdateForm kForm>
void weightsOf(const UpdateTerms& terms, const UpdateSources& from, std::size_t count,
               float* out) noexcept {
  if (terms.decaysInDouble) return weightLoop<kForm, true>(terms, from, count, out);
  weightLoop<kForm, false>(terms, from, count, out);
}

void replayedWeights(const UpdateTerms& terms, const UpdateSources& from, std::size_t count,
                     float* out) noexcept {
  switch (terms.form) {
    case UpdateForm::Scaled:
      return weightsOf<UpdateForm::Scaled>(terms, from, count, out);
    case UpdateForm::Quotient:
      return weightsOf<UpdateForm::Quotient>(terms, from, count, out);
    case UpdateForm::FusedQuotient:
      return weightsOf<UpdateForm::FusedQuotient>(terms, from, count, out);
    case UpdateForm::Momentum:
      return weightsOf<UpdateForm::Momentum>(terms, from, count, out);
    case UpdateForm::FusedMomentum:
      return weightsOf<UpdateForm::FusedMomentum>(terms, from, count, out);
    case UpdateForm::Drift:
      return weightsOf<UpdateForm::Drift>(terms, from, count, out);
  }
}

template <GradientForm kGradient, bool kDouble>
void oneGradientLoop(const UpdateTerms& terms, const SquareTerms& squares,
                     const UpdateSources& from, std::size_t count, float* out) noexcept {
  const auto beta2 = static_cast<float>(squares.beta2);
  const auto share = static_cast<float>(squares.share);
  const bool isDivided = terms.denominator == DenominatorForm::Divided;
  for (std::size_t i = 0; i < count; ++i) {
    const float old = from.w0[i];
    const float w = decayed<kDouble>(terms, old);
    const float g = gradient<kGradient>(squares, from.m0[i], from.m1[i]);
    const float left = from.v1[i] - share * g * g;
    const float before = left > 0 ? left / beta2 : 0;
    const float now = terms.rate * from.m1[i] / denominatorOf(terms, isDivided, from.v1[i]);
    const float then = terms.earlierRate * from.m0[i] / denominatorOf(terms, isDivided, before);
    out[i] = numberOr(w + (now + then), old);
  }
}

template <GradientForm kGradient>
void weightsOfOneBy(const UpdateTerms& terms, const SquareTerms& squares, const UpdateSources& from,
                    std::size_t count, float* out) noexcept {
  if (terms.decaysInDouble) {
    return oneGradientLoop<kGradient, true>(terms, squares, from, count, out);
  }
  oneGradientLoop<kGradient, false>(terms, squares, from, count, out);
}

void weightsOfOne(const UpdateTerms& terms, const SquareTerms& squares, const UpdateSources& from,
                  std::size_t count, float* out) noexcept {
  switch (squares.gradient) {
    case GradientForm::Axpy:
      return weightsOfOneBy<GradientForm::Axpy>(terms, squares, from, count, out);
    case GradientForm::Lerp:
      return weightsOfOneBy<GradientForm::Lerp>(terms, squares, from, count, out);
    case GradientForm::Double:
      return weightsOfOneBy<GradientForm::Double>(terms, squares, from, count, out);
  }
}

constexpr ReplayKernels plainReplayKernels() noexcept {
  return {.secondMoment = secondMoment, .weights = replayedWeights, .weightsOfOne = weightsOfOne};
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
