#include "core/search/settings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace strata {
namespace {

std::string ruleText(const QuantizeRule& rule) {
  std::vector<std::string> parts;
  if (rule.codec) parts.push_back(std::string(name(*rule.codec)));
  forEachLossySetting([&](const auto& setting) {
    const auto& value = rule.*setting.inRule;
    if (!value) return;
    std::string key(setting.key);
    std::replace(key.begin(), key.end(), '_', ' ');
    parts.push_back(
        setting.isInWords()
            ? fmt::format("{} {}", key, setting.words[static_cast<bool>(*value) ? 1 : 0])
            : fmt::format("{} {}", key, *value));
  });
  std::string subject = rule.match;
  if (rule.kind) {
    subject = rule.match == "*" ? std::string(name(*rule.kind))
                                : fmt::format("{} {}", name(*rule.kind), rule.match);
  }
  return fmt::format("{}: {}", subject, fmt::join(parts, ", "));
}

}  // namespace

std::string settingsText(const QuantizeSettings& settings) {
  std::string text = fmt::format("step x{}", settings.stepScale);
  if (settings.sensitivity != Sensitivity::Auto) {
    text += fmt::format("; sensitivity {}", name(settings.sensitivity));
  }
  if (settings.seed != 1) text += fmt::format("; seed {}", settings.seed);
  for (const QuantizeRule& rule : settings.rules) text += "; " + ruleText(rule);
  return text;
}

}  // namespace strata
