#include "core/search/settings_text.h"

#include <fmt/format.h>

#include <vector>

namespace strata {
namespace {

std::string ruleText(const QuantizeRule& rule) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, const auto& value) {
    if (value) parts.push_back(fmt::format("{} {}", key, *value));
  };
  if (rule.codec) parts.push_back(std::string(name(*rule.codec)));
  add("step", rule.step);
  add("dead zone", rule.deadZone);
  add("gain", rule.gain);
  add("pattern length", rule.patternLength);
  add("pattern bases 2^", rule.patternBasesLog2);
  add("rank", rule.rank);
  add("factor step", rule.factorStep);
  add("levels", rule.levelCount);
  add("prune", rule.pruneShare);
  add("protect", rule.protectShare);
  add("by sensitivity", rule.bySensitivity);
  add("even levels", rule.uniformLevels);
  add("published entropy", rule.publishedEntropy);
  add("bits", rule.bits);
  add("row scales", rule.rowScales);
  add("max error", rule.maxError);
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
