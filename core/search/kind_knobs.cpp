#include "core/search/kind_knobs.h"

#include <algorithm>

namespace strata {
namespace {

/// Where a search begins if nothing is said: what trials on transformers and a convolutional net
/// found near the best.
QuantizeRule usualRule(TensorKind kind) {
  QuantizeRule rule{.deadZone = 0.25, .gain = 1.0, .rank = 0, .factorStep = 1.0};
  switch (kind) {
    case TensorKind::Attention:
      rule.step = 3.0;
      rule.rank = 8;
      break;
    case TensorKind::Linear:
    case TensorKind::Unknown:
      rule.step = 3.3;
      rule.rank = 8;
      break;
    case TensorKind::Embedding:
      rule.step = 3.0;
      break;
    case TensorKind::Convolution:
      rule.step = 1.5;
      rule.rank = 2;
      break;
    case TensorKind::Head:
    case TensorKind::Norm:
    case TensorKind::Bias:
      rule.step = 0.75;
      break;
  }
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
    spellOut(&QuantizeRule::rank);
    spellOut(&QuantizeRule::factorStep);
    spellOut(&QuantizeRule::gain);
    spellOut(&QuantizeRule::deadZone);
  }
  return settings;
}

}  // namespace strata
