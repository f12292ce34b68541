#include "core/codec/words/cast.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace strata {
namespace {

template <typename To, typename From>
To castOne(ElementType from, From word, ElementType to) {
  To out{};
  castWords(from, std::as_bytes(std::span(&word, 1)), to,
            std::as_writable_bytes(std::span(&out, 1)));
  return out;
}

std::uint16_t halfOf(float value) {
  return castOne<std::uint16_t>(ElementType::F32, value, ElementType::F16);
}
std::uint16_t brainOf(float value) {
  return castOne<std::uint16_t>(ElementType::F32, value, ElementType::BF16);
}

TEST(CastWords, BringsEveryHalfBackThroughASingle) {
  for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
    const std::uint32_t infinity = type == ElementType::F16 ? 0x7c00 : 0x7f80;
    const std::uint32_t quiet = type == ElementType::F16 ? 0x200 : 0x40;
    for (std::uint32_t word = 0; word < 0x10000; ++word) {
      const auto single =
          castOne<std::uint32_t>(type, static_cast<std::uint16_t>(word), ElementType::F32);
      const auto back = castOne<std::uint16_t>(ElementType::F32, single, type);
      const bool isNan = (word & 0x7fff) > infinity;
      ASSERT_EQ(back, isNan ? word | quiet : word) << std::hex << word;
    }
  }
}

float singleOf(ElementType type, std::uint16_t word) {
  return castOne<float>(type, word, ElementType::F32);
}

TEST(CastWords, KnowsTheValuesOfHalves) {
  EXPECT_EQ(singleOf(ElementType::BF16, 0x3f80), 1.0F);
  EXPECT_EQ(singleOf(ElementType::F16, 0x3c00), 1.0F);
  EXPECT_EQ(singleOf(ElementType::F16, 0xc000), -2.0F);
  EXPECT_EQ(singleOf(ElementType::F16, 0x0001), 0x1p-24F);
  EXPECT_EQ(singleOf(ElementType::F16, 0x7bff), 65504.0F);
  EXPECT_TRUE(std::isinf(singleOf(ElementType::F16, 0xfc00)));
  EXPECT_TRUE(std::isnan(singleOf(ElementType::F16, 0x7c01)));
  EXPECT_TRUE(std::signbit(singleOf(ElementType::F16, 0x8000)));
}

TEST(CastWords, RoundsToNearestEven) {
  EXPECT_EQ(brainOf(std::bit_cast<float>(0x3f808000U)), 0x3f80);
  EXPECT_EQ(brainOf(std::bit_cast<float>(0x3f818000U)), 0x3f82);
  EXPECT_EQ(brainOf(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(halfOf(1.0F + 0x1p-11F), 0x3c00);
  EXPECT_EQ(halfOf(1.0F + 3 * 0x1p-11F), 0x3c02);
  EXPECT_EQ(halfOf(0x1p-25F), 0x0000);
  EXPECT_EQ(halfOf(0x1.8p-25F), 0x0001);
  EXPECT_EQ(halfOf(-0x1.8p-24F), 0x8002);
}

TEST(CastWords, GoesToInfinityOnlyFromHalfAStepAboveTheLargest) {
  EXPECT_EQ(halfOf(65519.996F), 0x7bff);
  EXPECT_EQ(halfOf(65520.0F), 0x7c00);
  EXPECT_EQ(halfOf(-1e30F), 0xfc00);
  EXPECT_EQ(brainOf(std::bit_cast<float>(0x7f7f7fffU)), 0x7f7f);
  EXPECT_EQ(brainOf(std::bit_cast<float>(0x7f7fffffU)), 0x7f80);
}

TEST(CastWords, KeepsSignsOfZerosAndNans) {
  EXPECT_EQ(halfOf(-0.0F), 0x8000);
  EXPECT_EQ(brainOf(-0.0F), 0x8000);
  EXPECT_GT(halfOf(std::bit_cast<float>(0xff800001U)), 0xfc00);
  EXPECT_GT(brainOf(std::bit_cast<float>(0xff800001U)), 0xff80);
}

TEST(CastWords, GoesBetweenHalvesThroughASingle) {
  EXPECT_EQ(castOne<std::uint16_t>(ElementType::BF16, std::uint16_t{0x3f80}, ElementType::F16),
            0x3c00);
  EXPECT_EQ(castOne<std::uint16_t>(ElementType::F16, std::uint16_t{0x3c01}, ElementType::BF16),
            0x3f80);
}

TEST(CanCast, TakesFloatsOfTwoAndFourBytes) {
  EXPECT_TRUE(canCast(ElementType::F32, ElementType::BF16));
  EXPECT_TRUE(canCast(ElementType::F16, ElementType::F32));
  EXPECT_FALSE(canCast(ElementType::F64, ElementType::F32));
  EXPECT_FALSE(canCast(ElementType::F32, ElementType::I32));
  EXPECT_FALSE(canCast(ElementType::Bytes, ElementType::F16));
}

}  // namespace
}  // namespace strata
