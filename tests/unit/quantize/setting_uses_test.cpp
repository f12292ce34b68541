#include "core/quantize/setting_uses.h"

#include <gmock/gmock.h>

namespace strata {
namespace {

using ::testing::HasSubstr;

QuantizeSettings coded(CodecId codec, unsigned levels = 0) {
  QuantizeRule rule{.codec = codec};
  if (levels > 0) rule.levelCount = levels;
  return {.rules = {rule}};
}

TEST(SettingUses, NameTheCodecsThatReadASetting) {
  const auto reason = idleReason("prune", {}, false);
  ASSERT_TRUE(reason);
  EXPECT_EQ(*reason, "has no effect on codec patterns; it is used by index, levels with --levels");
  EXPECT_TRUE(idleReason("spacing", coded(CodecId::Levels, 16), false));
  EXPECT_TRUE(idleReason("rank", coded(CodecId::Exponent), false));
  EXPECT_FALSE(idleReason("rank", {}, false));
  EXPECT_FALSE(idleReason("spacing", coded(CodecId::Index), false));
}

TEST(SettingUses, TellFittedLevelsFromAGrid) {
  EXPECT_TRUE(idleReason("prune", coded(CodecId::Levels), false));
  EXPECT_FALSE(idleReason("prune", coded(CodecId::Levels, 16), false));
  EXPECT_FALSE(idleReason("prune", coded(CodecId::Levels), true)) << "the search chooses levels";
  EXPECT_FALSE(idleReason("step", coded(CodecId::Levels), false));
  EXPECT_TRUE(idleReason("step", coded(CodecId::Levels, 16), false));
}

TEST(SettingUses, CountRulesOfOneKind) {
  QuantizeSettings settings;
  settings.rules = {{.kind = TensorKind::Linear, .codec = CodecId::Index, .levelCount = 16}};
  EXPECT_FALSE(idleReason("entropy", settings, false));
  EXPECT_FALSE(idleReason("rank", settings, false)) << "other kinds are coded as patterns";
}

TEST(SettingUses, KnowThatFineStepsMakeLevelsOfPatterns) {
  QuantizeSettings settings;
  settings.rules = {{.levelCount = 16U}};
  EXPECT_TRUE(idleReason("levels", settings, false));
  settings.stepScale = 0.1;
  EXPECT_FALSE(idleReason("levels", settings, false));
}

TEST(SettingUses, SayWhatACodecCannotDoWithout) {
  EXPECT_THAT(missingSetting(coded(CodecId::Index)), HasSubstr("--levels"));
  EXPECT_EQ(missingSetting(coded(CodecId::Index, 16)), "");
  EXPECT_THAT(missingSetting(coded(CodecId::Bounded)), HasSubstr("--max-error"));
  EXPECT_EQ(missingSetting({}), "");
}

}  // namespace
}  // namespace strata
