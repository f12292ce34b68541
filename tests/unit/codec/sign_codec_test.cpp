#include "core/codec/published/sign_codec.h"

#include <gtest/gtest.h>

#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

PartSample rows(std::uint64_t count, const std::vector<float>& differences) {
  const PartShape shape{wordFormat(ElementType::F32), count, differences.size() / count};
  return {shape, wordsOf(differences, ElementType::F32), Bytes(differences.size() * 4)};
}

std::vector<float> restoredValues(const PartSample& sample, bool rowScales) {
  const auto part = encodeSign(sample.input(), {.rowScales = rowScales});
  EXPECT_TRUE(part);
  return part ? valuesOf(part->restored, ElementType::F32) : std::vector<float>{};
}

TEST(SignCodec, StepsByTheMeanSize) {
  EXPECT_EQ(restoredValues(rows(1, {1, -3, 5, -7}), false), (std::vector<float>{4, -4, 4, -4}));
}

TEST(SignCodec, MovesZerosUp) {
  EXPECT_EQ(restoredValues(rows(1, {0, -0.0F, -6}), false), (std::vector<float>{2, 2, -2}));
}

TEST(SignCodec, GivesEachRowItsStep) {
  EXPECT_EQ(restoredValues(rows(3, {1, -3, 0, 0, 16, -16}), true),
            (std::vector<float>{2, -2, 0, 0, 16, -16}));
}

TEST(SignCodec, TakesABitAWordForRandomSigns) {
  const PartSample sample =
      makeSample({wordFormat(ElementType::F32), 512, 512}, Content::FineTuned, 1);
  const auto part = encodeSign(sample.input(), {});
  ASSERT_TRUE(part);
  EXPECT_LT(part->payload.size(), 512 * 512 / 8 + 64);
}

TEST(SignCodec, CodesSignsThatAreMostlyTheSame) {
  std::vector<float> differences(100'000, 0.5F);
  for (std::size_t i = 0; i < differences.size(); i += 97) differences[i] = -0.5F;
  const auto part = encodeSign(rows(100, differences).input(), {});
  ASSERT_TRUE(part);
  EXPECT_LT(part->payload.size(), 100'000 / 8 / 4);
}

TEST(SignPayload, RefusesDamagedHeaders) {
  const PartSample sample = rows(1, {1, -3, 5, -7});
  const Bytes payload = encodeSign(sample.input(), {})->payload;
  const auto expectCorrupt = [&](std::size_t at, unsigned value) {
    Bytes damaged = payload;
    damaged[at] = static_cast<std::byte>(value);
    const auto opened = openSign(sample.shape, damaged);
    ASSERT_FALSE(opened) << at;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  };
  expectCorrupt(0, 4);     // reserved flag
  expectCorrupt(4, 0xc0);  // a negative step
  Bytes padded = payload;
  padded.back() |= std::byte{0x80};  // a fifth sign of four words
  const auto decoded = decodeSample(CodecId::Sign, sample.shape, padded, sample.parent);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::CorruptData);
}

}  // namespace
}  // namespace strata::test
