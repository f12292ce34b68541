#include "core/codec/published/exponent_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/huffman.h"
#include "tests/support/huffman_bits.h"
#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

/// A row of f32 words whose differences to a parent of zeros are given.
PartSample differences(const std::vector<float>& values) {
  const PartShape shape{wordFormat(ElementType::F32), 1, values.size()};
  return {shape, wordsOf(values, ElementType::F32), Bytes(values.size() * 4)};
}

std::vector<float> restoredValues(const PartSample& sample, unsigned bits) {
  const auto part = encodeExponent(sample.input(), {.bits = bits});
  EXPECT_TRUE(part);
  return part ? valuesOf(part->restored, ElementType::F32) : std::vector<float>{};
}

TEST(ExponentBuckets, StandForTheMiddleOfLargestAndSmallest) {
  const auto found = findExponentBuckets(differences({1.0F, 1.25F, 1.5F, -4.0F, -7.0F}).input(), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, (std::vector<float>{0, -5.5F, 1.25F}));
  EXPECT_EQ(found->buckets, (std::vector<std::uint8_t>{2, 2, 2, 1, 1}));
  EXPECT_EQ(found->counts, (std::vector<std::uint32_t>{0, 2, 3}));
}

TEST(ExponentBuckets, KeepThoseOfLargestMagnitude) {
  EXPECT_EQ(restoredValues(differences({8, 4, 2, 1, 0.5F}), 1),
            (std::vector<float>{8, 0, 0, 0, 0}));
  EXPECT_EQ(restoredValues(differences({8, 4, 2, 1, 0.5F}), 2),
            (std::vector<float>{8, 4, 2, 0, 0}));
  EXPECT_EQ(restoredValues(differences({8, 4, 2, 1, 0.5F}), 3),
            (std::vector<float>{8, 4, 2, 1, 0.5F}));
}

TEST(ExponentBuckets, PutTheSignWithMoreEntriesFirst) {
  EXPECT_EQ(restoredValues(differences({1, -1, -1.5F}), 1),
            (std::vector<float>{0, -1.25F, -1.25F}));
  EXPECT_EQ(restoredValues(differences({1, 1.5F, -1}), 1), (std::vector<float>{1.25F, 1.25F, 0}));
}

TEST(ExponentBuckets, KeepZerosApartFromSmallAndLargeOnes) {
  // frexp gives 0 and [0.5, 1) the same exponent.
  EXPECT_EQ(restoredValues(differences({0, -0.0F, 0.5F, 0.75F}), 8),
            (std::vector<float>{0, 0, 0.625F, 0.625F}));
}

TEST(ExponentBuckets, LetSubnormalsShareTheLowestExponent) {
  const float least = std::numeric_limits<float>::min();
  const float tiny = std::numeric_limits<float>::denorm_min();
  const auto found = findExponentBuckets(differences({least, least / 2, tiny}).input(), 8);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->values.size(), 2U);
  EXPECT_EQ(found->counts[1], 3U);
}

TEST(ExponentBuckets, TrackTheRestoredState) {
  // What one version drops is part of the next difference: errors do not add up.
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.01F);
  std::vector<float> weights(4000, 0.1F);
  PartSample sample = differences(weights);
  sample.parent = sample.words;
  for (int version = 0; version < 8; ++version) {
    for (float& w : weights) w += normal(random);
    sample.words = wordsOf(weights, ElementType::F32);
    auto part = encodeExponent(sample.input(), {.bits = 3});
    ASSERT_TRUE(part);
    sample.parent = part->restored;
  }
  const auto restored = valuesOf(sample.parent, ElementType::F32);
  double error = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) error += std::abs(restored[i] - weights[i]);
  EXPECT_LT(error / 4000, 0.004);
}

TEST(ExponentBuckets, AreCodedBelowHuffman) {
  const PartSample sample =
      makeSample({wordFormat(ElementType::F32), 200, 300}, Content::FineTuned, 2);
  const auto found = findExponentBuckets(sample.input(), 3);
  const auto part = encodeExponent(sample.input(), {.bits = 3});
  ASSERT_TRUE(found && part);
  const double huffman = test::huffmanBits(found->counts) / 8;
  EXPECT_LT(static_cast<double>(part->payload.size()), 1.01 * huffman + 300);
  EXPECT_GE(huffman, entropyBits(found->counts) / 8);
}

TEST(HuffmanPayload, TakesWhatItsCodeWordsTake) {
  const PartSample sample =
      makeSample({wordFormat(ElementType::F32), 200, 300}, Content::FineTuned, 2);
  for (const unsigned bits : {1U, 3U, 8U}) {
    const auto found = findExponentBuckets(sample.input(), bits);
    const auto part = encodeExponentHuffman(sample.input(), {.bits = bits});
    const auto ours = encodeExponent(sample.input(), {.bits = bits});
    ASSERT_TRUE(found && part && ours);
    EXPECT_EQ(part->restored, ours->restored);
    const double huffman = test::huffmanBits(found->counts) / 8;
    EXPECT_GE(static_cast<double>(part->payload.size()), huffman);
    EXPECT_LT(static_cast<double>(part->payload.size()),
              huffman + 6.0 * static_cast<double>(found->values.size()) + 40);
  }
}

TEST(HuffmanPayload, TakesNoBitsForOneBucket) {
  const auto part =
      encodeExponentHuffman(differences(std::vector<float>(5000, 1.5F)).input(), {.bits = 3});
  ASSERT_TRUE(part);
  EXPECT_LT(part->payload.size(), 20U);
}

TEST(HuffmanPayload, RefusesHostileCodes) {
  const PartShape shape{wordFormat(ElementType::F32), 1, 4};
  // Three values behind the one of 0, then a code.
  Bytes head{std::byte{3}};
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    const Bytes word = wordsOf({value}, ElementType::F32);
    head.insert(head.end(), word.begin(), word.end());
  }
  using Code = std::vector<int>;
  for (const Code& code :
       {Code{0}, Code{1, 8}, Code{1, 1}, Code{2, 0, 1, 0, 1, 2}, Code{2, 0, 1, 0, 31, 31},
        Code{2, 0, 4, 0, 1, 1}, Code{2, 0, 0, 0, 1, 1}, Code{200, 0}, Code{2, 6, 5, 0, 1, 1}}) {
    Bytes payload = head;
    for (const int byte : code) payload.push_back(static_cast<std::byte>(byte));
    payload.insert(payload.end(), 16, std::byte{0});
    const auto opened = openExponentHuffman(shape, payload);
    ASSERT_FALSE(opened) << code.size() << " bytes, first " << code.front();
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
    EXPECT_EQ(opened.error().message, "code of a huffman payload is damaged");
  }
}

TEST(ExponentBuckets, RefuseWhatTheyCannotTake) {
  const PartSample sample = differences({1, 2});
  for (const unsigned bits : {0U, 9U}) {
    const auto part = encodeExponent(sample.input(), {.bits = bits});
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
  PartSample far = differences({3e38F});
  far.parent = wordsOf({-3e38F}, ElementType::F32);
  const auto part = encodeExponent(far.input(), {.bits = 3});
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
}

TEST(ExponentPayload, RefusesValuesThatAreNoNumbers) {
  const PartSample sample = differences({1, 2, 4});
  Bytes payload = encodeExponent(sample.input(), {.bits = 3})->payload;
  payload[3] = std::byte{0x80};
  payload[4] = std::byte{0x7f};
  const auto opened = openExponent(sample.shape, payload);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
}

}  // namespace
}  // namespace strata::test
