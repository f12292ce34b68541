#include "core/codec/published/index_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>

#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16, ElementType::BF16};

std::vector<float> tuned(const std::vector<float>& from, unsigned seed) {
  std::vector<float> values = from;
  const auto moves = normals(from.size(), 0.002, seed);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += moves[i];
  return values;
}

PartSample pairOf(const std::vector<float>& parent, const std::vector<float>& words,
                  ElementType type = ElementType::F32) {
  return {{wordFormat(type), 1, words.size()}, wordsOf(words, type), wordsOf(parent, type)};
}

std::vector<float> restoredValues(const PartSample& sample, const LossySettings& settings) {
  const auto part = encodeIndex(sample.input(), settings);
  EXPECT_TRUE(part) << part.error().message;
  return part ? valuesOf(part->restored, ElementType::F32) : std::vector<float>{};
}

bool liesOnLevels(const Bytes& payload) { return (std::to_integer<int>(payload[0]) & 2) != 0; }

TEST(IndexCodec, GivesAsManyValuesAsLevels) {
  const auto base = normals(20'000, 0.05, 1);
  const auto restored = restoredValues(pairOf(base, tuned(base, 2)), {.levelCount = 8});
  EXPECT_LE(std::set<float>(restored.begin(), restored.end()).size(), 8U);
}

TEST(IndexCodec, FollowsChainsWhoseLevelsChange) {
  for (const ElementType type : kTypes) {
    for (const bool published : {true, false}) {
      SCOPED_TRACE(name(type));
      auto words = normals(30'000, 0.05, 3);
      Bytes parent = wordsOf(words, type);
      unsigned version = 0;
      for (const unsigned levels : {16U, 16U, 6U, 32U, 16U}) {
        words = tuned(words, 4 + version);
        const PartSample sample{{wordFormat(type), 100, 300}, wordsOf(words, type), parent};
        const LossySettings settings{.levelCount = levels,
                                     .pruneShare = 0.2,
                                     .protectShare = 0.005,
                                     .publishedEntropy = published};
        const auto part = encodeIndex(sample.input(), settings);
        ASSERT_TRUE(part);
        EXPECT_EQ(liesOnLevels(part->payload), version > 0);
        const auto decoded =
            decodeSample(CodecId::Index, sample.shape, part->payload, sample.parent);
        ASSERT_TRUE(decoded) << decoded.error().message;
        ASSERT_TRUE(sameBytes(*decoded, part->restored));
        parent = part->restored;
        ++version;
      }
    }
  }
}

TEST(IndexCodec, TakesFewBytesOnceTheParentIsOnLevels) {
  const auto base = normals(200'000, 0.05, 5);
  const auto first = pairOf(base, base);
  const LossySettings settings{.levelCount = 16, .pruneShare = 0.1, .protectShare = 0.0005};
  const auto v1 = encodeIndex(first.input(), settings);
  ASSERT_TRUE(v1);
  const PartSample next{first.shape, first.words, v1->restored};
  const auto v2 = encodeIndex(next.input(), settings);
  ASSERT_TRUE(v2);
  EXPECT_TRUE(sameBytes(v2->restored, v1->restored));
  EXPECT_LT(v2->payload.size(), first.words.size() / 300);
}

TEST(IndexCodec, BringsTheSameWordsThroughBothEntropyStages) {
  const auto base = normals(50'000, 0.05, 6);
  const PartSample sample = pairOf(base, tuned(base, 7));
  LossySettings settings{.levelCount = 12, .pruneShare = 0.3, .protectShare = 0.01};
  const auto published = encodeIndex(sample.input(), settings);
  settings.publishedEntropy = false;
  const auto rans = encodeIndex(sample.input(), settings);
  ASSERT_TRUE(published && rans);
  EXPECT_TRUE(sameBytes(published->restored, rans->restored));
  EXPECT_NE(published->payload, rans->payload);
}

TEST(IndexCodec, PrunesAndProtectsNoMoreThanTheShares) {
  const auto base = normals(40'000, 0.05, 8);
  const auto words = tuned(base, 9);
  const auto restored = restoredValues(pairOf(base, words),
                                       {.levelCount = 4, .pruneShare = 0.3, .protectShare = 0.01});
  const auto zeros = static_cast<double>(std::ranges::count(restored, 0.0F));
  EXPECT_LE(zeros, 0.3 * 40'000);
  EXPECT_GE(zeros, 0.28 * 40'000);
  std::vector<float> sorted = words;
  std::ranges::sort(sorted, {}, [](float v) { return -std::abs(v); });
  const float least = std::abs(sorted[300]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::abs(words[i]) < least) continue;
    EXPECT_NEAR(restored[i], words[i], std::abs(words[i]) / 256) << "protected words are bf16";
  }
}

TEST(IndexCodec, TakesThresholdsInPlaceOfShares) {
  const auto words = std::vector<float>{-1, -0.5F, -0.01F, 0, 0.01F, 0.02F, 0.5F, 2};
  const auto restored = restoredValues(
      pairOf(words, words), {.levelCount = 4, .pruneBelow = 0.015F, .protectAbove = 0.9F});
  EXPECT_EQ(restored[0], -1);
  EXPECT_EQ(restored[7], 2);
  EXPECT_EQ(restored[2], 0);
  EXPECT_EQ(restored[4], 0);
  EXPECT_NEAR(restored[5], 0.02F, 0.0003F);
}

TEST(IndexCodec, LooksAtGradientsWhereItIsTold) {
  const auto words = normals(10'000, 0.05, 10);
  std::vector<float> gradients(words.size(), 1e-6F);
  for (std::size_t i = 0; i < gradients.size(); i += 100) gradients[i] = 10;
  const PartSample sample = pairOf(words, words);
  const auto restored = restoredValues(sample, {.levelCount = 4,
                                                .pruneShare = 0.4,
                                                .protectShare = 0.01,
                                                .bySensitivity = true,
                                                .gradients = gradients});
  for (std::size_t i = 0; i < words.size(); i += 100) {
    EXPECT_NEAR(restored[i], words[i], 0.02F) << "a sensitive word was pruned";
  }
  const auto magnitude = restoredValues(
      sample, {.levelCount = 4, .pruneShare = 0.4, .protectShare = 0.01, .gradients = gradients});
  EXPECT_GT(std::ranges::count(magnitude, 0.0F), 3000);
}

TEST(IndexCodec, KeepsFewDistinctValues) {
  const std::vector<float> words{0.5F, -0.25F, 0.5F, 0, -0.25F, 0, 0, 0.5F};
  const auto restored = restoredValues(pairOf(words, words), {.levelCount = 16});
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_NEAR(restored[i], words[i], 0.0101 * std::abs(words[i]));
  }
}

TEST(IndexCodec, TakesPartsOfNothingButZeros) {
  const std::vector<float> zeros(100, 0.0F);
  const auto base = normals(100, 0.05, 11);
  EXPECT_EQ(restoredValues(pairOf(base, zeros), {.levelCount = 16}), zeros);
  EXPECT_EQ(restoredValues(pairOf(zeros, zeros), {.levelCount = 16}), zeros);
}

TEST(IndexCodec, RefusesSettingsOutOfRange) {
  const auto base = normals(10, 0.05, 12);
  const PartSample sample = pairOf(base, base);
  const std::vector<float> gradients(9, 1.0F);
  const std::vector<float> infinite(10, INFINITY);
  for (const LossySettings& settings :
       {LossySettings{.levelCount = 0}, LossySettings{.levelCount = 255},
        LossySettings{.levelCount = 4, .pruneShare = 1.5},
        LossySettings{.levelCount = 4, .protectShare = -0.1},
        LossySettings{.levelCount = 4, .bySensitivity = true},
        LossySettings{.levelCount = 4, .gradients = gradients},
        LossySettings{.levelCount = 4, .gradients = infinite},
        LossySettings{.levelCount = 4, .pruneBelow = -1.0F}}) {
    const auto part = encodeIndex(sample.input(), settings);
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(IndexPayload, RefusesDamagedHeaders) {
  const auto base = normals(300, 0.05, 13);
  const PartSample sample = pairOf(base, tuned(base, 14));
  const Bytes payload = encodeIndex(sample.input(), {.levelCount = 4})->payload;
  const auto expectCorrupt = [&](std::size_t at, unsigned value) {
    Bytes damaged = payload;
    damaged[at] = static_cast<std::byte>(value);
    const auto opened = openIndex(sample.shape, damaged);
    ASSERT_FALSE(opened) << at << " " << value;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  };
  expectCorrupt(0, 4);      // a reserved flag
  expectCorrupt(4, 0xbf);   // a negative threshold
  expectCorrupt(9, 0);      // no levels
  expectCorrupt(9, 255);    // too many
  expectCorrupt(13, 0x7f);  // the first level is above the second
}

}  // namespace
}  // namespace strata::test
