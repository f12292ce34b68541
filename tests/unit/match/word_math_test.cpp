#include "core/match/detail/word_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/match/detail/cost.h"

namespace strata::match {
namespace {

constexpr WordFormat kF32{4, 23, true, false};

Word f32(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(DifferenceBits, FollowsTheOrderOfFloats) {
  EXPECT_EQ(differenceBits(f32(1.5F), f32(1.5F), kF32, 0), 0U);
  EXPECT_EQ(differenceBits(f32(1.0F), f32(std::nextafter(1.0F, 0.0F)), kF32, 0), 1U);
  EXPECT_EQ(differenceBits(f32(-0.0F), f32(0.0F), kF32, 0), 0U);
  EXPECT_GT(differenceBits(f32(0.1F), f32(-0.1F), kF32, 0), 30U);
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(differenceBits(f32(least), f32(-least), kF32, 0), 2U);
}

TEST(DifferenceBits, TakesTheShortWayForIntegers) {
  const WordFormat bytes{1, 0, false, false};
  EXPECT_EQ(differenceBits(0, 255, bytes, 0), 1U);
  EXPECT_EQ(differenceBits(7, 0, bytes, 0), 3U);
  EXPECT_EQ(differenceBits(0, 128, bytes, 0), 8U);
}

TEST(DifferenceBits, RoundsTheParentToWhatTheVariantUses) {
  const Word parent = f32(0.123456F);
  const Word variant = castWord(parent, ElementType::F32, ElementType::BF16) << 16;
  EXPECT_GT(differenceBits(variant, parent, kF32, 0), 10U);
  EXPECT_LE(differenceBits(variant, parent, kF32, 16), 1U);
}

TEST(CastWord, KeepsEveryHalfAndBfloatThroughF32) {
  for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
    for (Word word = 0; word < 65'536; ++word) {
      const Word wide = castWord(word, type, ElementType::F32);
      if (std::isnan(toFloat(word, type))) continue;
      EXPECT_EQ(castWord(wide, ElementType::F32, type), word) << name(type);
    }
  }
}

TEST(CastWord, RoundsToTheNearestHalfTiesToEven) {
  const auto half = [](float value) {
    return castWord(f32(value), ElementType::F32, ElementType::F16);
  };
  EXPECT_EQ(half(1 + 0x1p-11F), 0x3C00U);
  EXPECT_EQ(half(1 + 0x3p-11F), 0x3C02U);
  EXPECT_EQ(half(65'519.0F), 0x7BFFU);
  EXPECT_EQ(half(65'520.0F), 0x7C00U);
  EXPECT_EQ(half(0x1p-25F), 0x0000U);
  EXPECT_EQ(half(0x1.8p-25F), 0x0001U);
  EXPECT_EQ(half(-0x1p-14F), 0x8400U);
}

TEST(AloneCost, IsNothingForOneValueAndLessForUnusedBits) {
  EXPECT_EQ(estimateAlone(std::vector<Word>(100, f32(1)), kF32).bitsPerWord, 0);
  std::vector<Word> cast;
  for (Word i = 0; i < 100; ++i) cast.push_back(f32(0.01F) + (i << 16));
  for (Word& word : cast) word &= 0xFFFF0000U;
  const AloneCost cost = estimateAlone(cast, kF32);
  EXPECT_EQ(cost.zeroLowBits, 16U);
  EXPECT_LT(cost.bitsPerWord, 12);
}

}  // namespace
}  // namespace strata::match
