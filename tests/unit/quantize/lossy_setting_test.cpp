#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>
#include <type_traits>

#include "core/profile/quality_plan.h"
#include "core/quantize/quantize_settings.h"
#include "core/search/settings_text.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

/// A rule that gives each setting another value than it has by default.
QuantizeRule ruleWithAll() {
  QuantizeRule rule;
  forEachLossySetting([&](const auto& setting) {
    const auto usual = LossySettings{}.*setting.inCodec;
    if constexpr (std::is_same_v<decltype(setting.least), bool>) {
      rule.*setting.inRule = !usual;
    } else {
      rule.*setting.inRule = usual == setting.least ? setting.least + 1 : setting.least;
    }
  });
  return rule;
}

TEST(LossySettings, HaveEachNameOnce) {
  std::set<std::string_view> keys;
  std::size_t count = 0;
  forEachLossySetting([&](const auto& setting) {
    keys.insert(setting.key);
    ++count;
    EXPECT_FALSE(setting.help.empty()) << setting.key;
  });
  EXPECT_EQ(keys.size(), count);
}

TEST(LossySettings, AreKeptAloneWhereTheTableSays) {
  // A row that names another setting's member would change two of them, or none.
  forEachLossySetting([&](const auto& changed) {
    QuantizeRule rule;
    rule.*changed.inRule = *(ruleWithAll().*changed.inRule);
    forEachLossySetting([&](const auto& setting) {
      EXPECT_EQ((rule.*setting.inRule).has_value(), setting.key == changed.key)
          << changed.key << " and " << setting.key;
    });
  });
}

TEST(LossySettings, HaveDefaultsWithinTheirRanges) {
  forEachLossySetting([](const auto& setting) {
    if constexpr (!std::is_same_v<decltype(setting.least), bool>) {
      const auto usual = LossySettings{}.*setting.inCodec;
      // A step of 0 stands for one that rules give.
      if (setting.key == "step") return;
      EXPECT_GE(usual, setting.least) << setting.key;
      EXPECT_LE(usual, setting.most) << setting.key;
    }
  });
}

TEST(LossySettings, AreReadBackFromAProfile) {
  QualityPlan plan;
  plan.quantize.rules = {ruleWithAll()};
  const std::string text = qualityProfileText("", plan);
  const auto read = parseQualityPlan(text, "a profile");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->quantize.rules.size(), 1);
  forEachLossySetting([&](const auto& setting) {
    EXPECT_EQ(read->quantize.rules[0].*setting.inRule, plan.quantize.rules[0].*setting.inRule)
        << setting.key;
    EXPECT_THAT(text, HasSubstr(std::string(setting.key)));
  });
}

TEST(LossySettings, AllShowInTextsAboutSettings) {
  const std::string all = settingsText({.rules = {ruleWithAll()}});
  forEachLossySetting([&](const auto& setting) {
    QuantizeRule fewer = ruleWithAll();
    (fewer.*setting.inRule).reset();
    EXPECT_NE(settingsText({.rules = {fewer}}), all) << setting.key;
  });
}

TEST(LossySettings, AreListedInTheManual) {
  std::ifstream file(STRATA_MANUAL);
  std::stringstream manual;
  manual << file.rdbuf();
  ASSERT_FALSE(manual.str().empty());
  forEachLossySetting([&](const auto& setting) {
    EXPECT_THAT(manual.str(), HasSubstr(std::string(setting.key))) << "docs/CLI.md";
  });
}

}  // namespace
}  // namespace strata
