#include "core/codec/lossy/short_levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/codec/lossy/levels_codec.h"
#include "tests/support/part_samples.h"

namespace strata {
namespace {

constexpr double kStep = 0.01;

/// A vector whose changes spread over some steps, on a parent of ones.
test::PartSample vectorOf(std::vector<float> changes) {
  test::PartSample sample;
  sample.shape = {wordFormat(ElementType::F32), 1, changes.size()};
  sample.parent = test::wordsOf(std::vector<float>(changes.size(), 1), ElementType::F32);
  for (float& change : changes) change += 1;
  sample.words = test::wordsOf(changes, ElementType::F32);
  return sample;
}

std::vector<float> normalChanges(std::size_t count, double spread) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, static_cast<float>(spread));
  std::vector<float> changes(count);
  for (float& change : changes) change = normal(random);
  return changes;
}

LossyPart encoded(const test::PartSample& sample) {
  auto part = encodeLevels(sample.input(), {.step = kStep, .deadZone = 0.5, .gain = 0});
  EXPECT_TRUE(part) << part.error().message;
  return part ? *std::move(part) : LossyPart{};
}

void expectNear(const test::PartSample& sample, const LossyPart& part) {
  const auto decoded =
      test::decodeSample(CodecId::Levels, sample.shape, part.payload, sample.parent);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(test::sameBytes(*decoded, part.restored));
  const auto words = test::valuesOf(sample.words, ElementType::F32);
  const auto restored = test::valuesOf(part.restored, ElementType::F32);
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_NEAR(restored[i], words[i], 1.1 * kStep);
}

TEST(ShortLevels, TakeLittleMoreThanTheirBits) {
  const test::PartSample sample = vectorOf(normalChanges(64, 4 * kStep));
  const LossyPart part = encoded(sample);
  EXPECT_EQ(part.payload.front(), std::byte{kShortLevelsFlag});
  // Four bits of entropy a word, ten bytes around them.
  EXPECT_LT(part.payload.size(), 64 * 5 / 8 + 10);
  expectNear(sample, part);
}

TEST(ShortLevels, BearOneLevelFarBeyondTheOthers) {
  std::vector<float> changes = normalChanges(40, kStep);
  changes[17] = -3000;
  const test::PartSample sample = vectorOf(changes);
  const LossyPart part = encoded(sample);
  EXPECT_EQ(part.payload.front(), std::byte{kShortLevelsFlag});
  const auto decoded =
      test::decodeSample(CodecId::Levels, sample.shape, part.payload, sample.parent);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_NEAR(test::valuesOf(*decoded, ElementType::F32)[17], -2999, 12);  // a bf16 step
}

TEST(ShortLevels, LeaveManyLevelsToTables) {
  const test::PartSample sample = vectorOf(normalChanges(12000, 0.3 * kStep));
  const LossyPart part = encoded(sample);
  EXPECT_NE(part.payload.front(), std::byte{kShortLevelsFlag});
  expectNear(sample, part);
}

TEST(ShortLevels, RefuseDamagedHeadersAndBits) {
  const test::PartSample sample = vectorOf(normalChanges(64, 4 * kStep));
  const LossyPart part = encoded(sample);
  const auto refused = [&](std::vector<std::byte> payload) {
    const auto decoded = test::decodeSample(CodecId::Levels, sample.shape, payload, sample.parent);
    return !decoded && decoded.error().code == ErrorCode::CorruptData;
  };
  std::vector<std::byte> payload = part.payload;
  payload[3] = std::byte{16};
  EXPECT_TRUE(refused(payload)) << "parameter above 15";
  payload = part.payload;
  payload[1] = std::byte{0x80};
  payload[2] = std::byte{0x7f};
  EXPECT_TRUE(refused(payload)) << "infinite step";
  payload = part.payload;
  payload.back() |= std::byte{0xff};
  EXPECT_TRUE(refused(payload)) << "bits that are left";
  for (std::size_t kept = 0; kept < part.payload.size(); ++kept) {
    EXPECT_TRUE(refused({part.payload.begin(), part.payload.begin() + static_cast<long>(kept)}));
  }
}

}  // namespace
}  // namespace strata
