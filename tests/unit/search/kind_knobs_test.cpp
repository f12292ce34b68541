#include "core/search/kind_knobs.h"

#include <gtest/gtest.h>

#include "core/search/settings_text.h"

namespace strata {
namespace {

TEST(KindKnobs, TakeTheLastRuleThatApplies) {
  const QuantizeSettings settings{{{.step = 1.0, .rank = 4u},
                                   {.kind = TensorKind::Bias, .step = 2.0},
                                   {.match = "*.head", .step = 9.0}}};
  EXPECT_EQ(kindValue(settings, TensorKind::Bias, &QuantizeRule::step), 2.0);
  EXPECT_EQ(kindValue(settings, TensorKind::Linear, &QuantizeRule::step), 1.0);
  EXPECT_EQ(kindValue(settings, TensorKind::Bias, &QuantizeRule::rank), 4u);
  EXPECT_FALSE(kindValue(settings, TensorKind::Bias, &QuantizeRule::gain));
}

TEST(KindKnobs, KeepRulesThatNameTensorsLast) {
  QuantizeSettings settings{{{.step = 1.0}, {.match = "*.head", .step = 9.0}}};
  kindRule(settings, TensorKind::Linear).step = 3.0;
  ASSERT_EQ(settings.rules.size(), 3);
  EXPECT_EQ(settings.rules[1].kind, TensorKind::Linear);
  EXPECT_EQ(settings.rules[2].match, "*.head");
  EXPECT_EQ(&kindRule(settings, TensorKind::Linear), &settings.rules[1]);
}

TEST(KindKnobs, SpellOutWhatIsSetAndWhatIsUsual) {
  const std::vector<TensorKind> kinds{TensorKind::Linear, TensorKind::Norm};
  const QuantizeSettings settings = withKindRules({{{.step = 1.5}}}, kinds);
  ASSERT_EQ(settings.rules.size(), 3);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(settings.rules[i].step, 1.5);
    EXPECT_TRUE(settings.rules[i].rank && settings.rules[i].gain && settings.rules[i].deadZone);
  }
  EXPECT_EQ(withKindRules(settings, kinds).rules.size(), 3);
}

TEST(KindKnobs, VaryNumbersThatPeopleCanRead) {
  EXPECT_EQ(toFiveDigits(0.7829462310029996), 0.78295);
  EXPECT_EQ(toFiveDigits(7.32421875), 7.3242);
  EXPECT_EQ(toFiveDigits(0.0123456), 0.012346);
  EXPECT_EQ(toFiveDigits(64), 64);
  EXPECT_EQ(toFiveDigits(99.9996), 100);
}

TEST(SettingsText, TellsSettingsApart) {
  QuantizeSettings settings{{{.kind = TensorKind::Bias, .step = 2.0}}};
  const std::string text = settingsText(settings);
  EXPECT_EQ(text, "step x1; bias: step 2");
  settings.rules[0].match = "*.b";
  EXPECT_EQ(settingsText(settings), "step x1; bias *.b: step 2");
  settings.stepScale = 1.0000000001;
  EXPECT_NE(settingsText(settings).find("step x1.0000000001"), std::string::npos);
}

}  // namespace
}  // namespace strata
