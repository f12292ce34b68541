#include "core/search/kind_knobs.h"

#include <algorithm>
#include <cmath>

#include "core/codec/lossy/patterns_codec.h"

namespace strata {
namespace {

bool isSmall(TensorKind kind) noexcept {
  return kind == TensorKind::Norm || kind == TensorKind::Bias || kind == TensorKind::Head;
}

/// What holds for tensors of a kind where no rule says otherwise.
QuantizeRule usualRule(TensorKind kind) {
  QuantizeRule rule = startingRule(!isSmall(kind));
  rule.codec.reset();
  const QuantizeSettings defaults{defaultRules()};
  const auto take = [&](auto field) {
    if (const auto value = kindValue(defaults, kind, field)) rule.*field = value;
  };
  take(&QuantizeRule::step);
  take(&QuantizeRule::deadZone);
  take(&QuantizeRule::gain);
  take(&QuantizeRule::patternLength);
  take(&QuantizeRule::rank);
  take(&QuantizeRule::factorStep);
  return rule;
}

}  // namespace

QuantizeRule& kindRule(QuantizeSettings& settings, TensorKind kind) {
  auto& rules = settings.rules;
  for (QuantizeRule& rule : rules) {
    if (rule.match == "*" && rule.kind == kind) return rule;
  }
  const auto named = std::find_if(rules.begin(), rules.end(),
                                  [](const QuantizeRule& rule) { return rule.match != "*"; });
  return *rules.insert(named, QuantizeRule{.kind = kind});
}

QuantizeSettings withKindRules(QuantizeSettings settings, std::span<const TensorKind> kinds) {
  for (const TensorKind kind : kinds) {
    const QuantizeRule usual = usualRule(kind);
    const auto spellOut = [&](auto field) {
      const auto value = kindValue(settings, kind, field);
      kindRule(settings, kind).*field = value ? value : usual.*field;
    };
    spellOut(&QuantizeRule::step);
    spellOut(&QuantizeRule::patternLength);
    spellOut(&QuantizeRule::rank);
    spellOut(&QuantizeRule::factorStep);
    spellOut(&QuantizeRule::gain);
    spellOut(&QuantizeRule::deadZone);
  }
  return settings;
}

CodecId kindCodec(const QuantizeSettings& settings, TensorKind kind) {
  const auto codec = kindValue(settings, kind, &QuantizeRule::codec);
  return codec ? *codec : *startingRule(!isSmall(kind)).codec;
}

double toFiveDigits(double number) noexcept {
  const double unit = std::pow(10.0, 4 - std::floor(std::log10(number)));
  return std::round(number * unit) / unit;
}

void scaleStep(QuantizeSettings& settings, TensorKind kind, double factor) {
  QuantizeRule& rule = kindRule(settings, kind);
  rule.step = toFiveDigits(*rule.step * factor);
  rule.patternLength = scaledPatternLength(*rule.patternLength, factor);
}

}  // namespace strata
