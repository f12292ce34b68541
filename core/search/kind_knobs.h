#pragma once

#include <span>

#include "core/quantize/quantize_settings.h"

namespace strata {

/// What `settings` say of all tensors of a kind, where no rule names tensors. Nothing where they
/// leave it to the defaults.
template <typename T>
std::optional<T> kindValue(const QuantizeSettings& settings, TensorKind kind,
                           std::optional<T> QuantizeRule::*field) {
  std::optional<T> value;
  for (const QuantizeRule& rule : settings.rules) {
    const bool applies = rule.match == "*" && (!rule.kind || *rule.kind == kind);
    if (applies && rule.*field) value = rule.*field;
  }
  return value;
}

/// The rule for all tensors of a kind, made where it is missing: behind the rules for all tensors,
/// before those that name some.
QuantizeRule& kindRule(QuantizeSettings& settings, TensorKind kind);

/// `settings` with step, pattern length, rank, factor step, gain and dead zone of each kind spelt
/// out, so that each can be varied alone.
QuantizeSettings withKindRules(QuantizeSettings settings, std::span<const TensorKind> kinds);

/// What tensors of a kind go through where they are large enough for it.
CodecId kindCodec(const QuantizeSettings& settings, TensorKind kind);

/// `number`, which is above 0, to five digits: what a search varies is told to people, and finer
/// differences mean nothing.
double toFiveDigits(double number) noexcept;

/// Makes the step of a kind coarser by `factor`, and its patterns longer by the square of it.
/// `settings` are such as withKindRules() gives.
void scaleStep(QuantizeSettings& settings, TensorKind kind, double factor);

}  // namespace strata
