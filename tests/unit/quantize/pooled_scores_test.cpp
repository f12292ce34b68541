#include "core/quantize/pooled_scores.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

/// Words 1 to 100, changes a hundredth of that.
PooledScores scores(bool hasGradients) {
  PooledScores pooled;
  std::vector<float> values;
  for (int i = 1; i <= 100; ++i) values.push_back(static_cast<float>(i));
  pooled.words.add(values);
  if (hasGradients) pooled.sensitivities.add(std::vector<float>(100, 7.0F));
  for (float& value : values) value /= 100;
  pooled.changes.add(values);
  return pooled;
}

TEST(PooledScores, GiveOneThresholdForAllTensorsOfAKind) {
  LossyChoice choice{CodecId::Index, {.levelCount = 4, .pruneShare = 0.3, .protectShare = 0.02}};
  setThresholds(scores(false), choice);
  ASSERT_TRUE(choice.settings.pruneBelow && choice.settings.protectAbove);
  EXPECT_NEAR(*choice.settings.pruneBelow, 30, 1);
  EXPECT_NEAR(*choice.settings.protectAbove, 98, 2);
  EXPECT_FALSE(choice.settings.protectSensitivityAbove);
}

TEST(PooledScores, PruneBySensitivityWhereThatIsAskedFor) {
  LossyChoice choice{
      CodecId::Index,
      {.levelCount = 4, .pruneShare = 0.3, .protectShare = 0.02, .bySensitivity = true}};
  setThresholds(scores(true), choice);
  EXPECT_NEAR(*choice.settings.pruneBelow, 7, 0.2);
  EXPECT_NEAR(*choice.settings.protectSensitivityAbove, 7, 0.2);
}

TEST(PooledScores, TakeChangesForLevels) {
  LossyChoice choice{CodecId::Levels, {.levelCount = 4, .rank = 0, .pruneShare = 0.3}};
  setThresholds(scores(false), choice);
  ASSERT_TRUE(choice.settings.pruneBelow);
  EXPECT_NEAR(*choice.settings.pruneBelow, 0.3, 0.01);
  EXPECT_FALSE(choice.settings.protectAbove);
}

TEST(PooledScores, LeaveLevelsBehindLowRankTheirShares) {
  LossyChoice choice{CodecId::Levels, {.levelCount = 4, .rank = 4, .pruneShare = 0.3}};
  setThresholds(scores(false), choice);
  EXPECT_FALSE(choice.settings.pruneBelow);
}

}  // namespace
}  // namespace strata
