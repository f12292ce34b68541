#include "core/quantize/setting_uses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/quantize/tensor_choice.h"

namespace strata {
namespace {

/// What reads a setting: codec `levels`, and others.
struct SettingUse {
  LevelUse levels;
  std::vector<CodecId> others;
};

/// Of a setting of the codecs, or of one of the two that are none of theirs.
std::optional<SettingUse> useOf(std::string_view name) {
  if (name == "sensitivity") return SettingUse{LevelUse::Any, {CodecId::Patterns}};
  if (name == "gradients") {
    return SettingUse{LevelUse::Any, {CodecId::Patterns, CodecId::Index}};
  }
  std::optional<SettingUse> use;
  forEachLossySetting([&](const auto& setting) {
    if (setting.key != name) return;
    use = SettingUse{setting.levels, {}};
    for (const std::optional<CodecId>& codec : setting.others) {
      if (codec) use->others.push_back(*codec);
    }
  });
  return use;
}

/// What matrices may be coded with.
struct CodecsInUse {
  std::set<CodecId> codecs;
  bool hasLevels = false;  ///< fitted ones
};

CodecsInUse codecsInUse(const QuantizeSettings& settings) {
  const QuantizeRule usual = startingRule(true);
  CodecsInUse used{{*usual.codec}, false};
  for (const QuantizeRule& rule : settings.rules) {
    if (rule.kind && isOptimizerState(*rule.kind)) continue;  // options are for weights
    const bool isForAll = rule.match == "*" && !rule.kind;
    if (rule.codec && isForAll) used.codecs.clear();
    if (rule.codec) used.codecs.insert(*rule.codec);
    used.hasLevels = used.hasLevels || rule.levelCount.value_or(0) > 0;
  }
  const bool hasPatterns = used.codecs.count(CodecId::Patterns) != 0;
  if (hasPatterns && isTooFineForPatterns(*usual.step * settings.stepScale)) {
    used.codecs.insert(CodecId::Levels);
  }
  return used;
}

bool isUsed(const SettingUse& use, const CodecsInUse& used, bool areLevelsSearched) {
  const auto isUsedBy = [&](CodecId codec) { return used.codecs.count(codec) != 0; };
  if (std::any_of(use.others.begin(), use.others.end(), isUsedBy)) return true;
  if (use.levels == LevelUse::None || !isUsedBy(CodecId::Levels)) return false;
  if (use.levels == LevelUse::Any || areLevelsSearched) return true;
  return used.hasLevels == (use.levels == LevelUse::Fitted);
}

std::string usersOf(const SettingUse& use) {
  std::vector<std::string> users;
  for (const CodecId codec : use.others) users.emplace_back(name(codec));
  if (use.levels == LevelUse::Any) users.emplace_back("levels");
  if (use.levels == LevelUse::Uniform) users.emplace_back("levels without --levels");
  if (use.levels == LevelUse::Fitted) users.emplace_back("levels with --levels");
  return fmt::format("{}", fmt::join(users, ", "));
}

}  // namespace

std::optional<std::string> idleReason(std::string_view setting, const QuantizeSettings& settings,
                                      bool areLevelsSearched) {
  const std::optional<SettingUse> use = useOf(setting);
  const CodecsInUse used = codecsInUse(settings);
  if (!use || isUsed(*use, used, areLevelsSearched)) return std::nullopt;
  std::vector<std::string_view> names;
  for (const CodecId codec : used.codecs) names.push_back(name(codec));
  return fmt::format(
      "has no effect on codec {}{}; it is used by {}", fmt::join(names, ", "),
      used.hasLevels && names.size() == 1 && names.front() == "levels" ? " with --levels" : "",
      usersOf(*use));
}

std::string missingSetting(const QuantizeSettings& settings) {
  const CodecsInUse used = codecsInUse(settings);
  if (used.codecs.count(CodecId::Index) != 0 && !used.hasLevels) {
    return "codec index needs --levels K, a number of 1 to 254";
  }
  const bool hasBound =
      std::any_of(settings.rules.begin(), settings.rules.end(),
                  [](const QuantizeRule& rule) { return rule.maxError.value_or(0) > 0; });
  if (used.codecs.count(CodecId::Bounded) != 0 && !hasBound) {
    return "codec bounded needs --max-error X, the most that each weight may be off, above 0";
  }
  return {};
}

}  // namespace strata
