#include "core/codec/lossy/moments_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/codec/entropy/byte_io.h"
#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

constexpr float kEpsilon = 1e-8F;

/// Moments as Adam leaves them: gradients whose sizes differ by row and column, rows and columns
/// that never had one, and single words that had none.
struct Moments {
  PartShape shape;
  std::vector<float> first;
  std::vector<float> second;

  PartSample sample(const std::vector<float>& values) const {
    return {shape, wordsOf(values, ElementType::F32), {}};
  }
};

Moments makeMoments(std::uint64_t rows, std::uint64_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Moments moments{{wordFormat(ElementType::F32), rows, columns}, {}, {}};
  std::vector<double> rowSize(rows);
  std::vector<double> columnSize(columns);
  for (double& size : rowSize) size = 1e-4 * std::exp(2 * normal(random));
  for (double& size : columnSize) size = std::exp(normal(random));
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t c = 0; c < columns; ++c) {
      double m = 0;
      double v = 0;
      const bool isUntouched = rows > 2 && (r % 5 == 3 || c % 7 == 5 || (r + c) % 41 == 11);
      for (int step = 0; step < 30 && !isUntouched; ++step) {
        const double gradient = rowSize[r] * columnSize[c] * (0.3 + normal(random));
        m = 0.9 * m + 0.1 * gradient;
        v = 0.999 * v + 0.001 * gradient * gradient;
      }
      moments.first.push_back(static_cast<float>(m));
      moments.second.push_back(static_cast<float>(v));
    }
  }
  return moments;
}

std::vector<float> restored(const PartSample& sample, const LossySettings& settings,
                            std::size_t* bytes = nullptr) {
  const auto part = encodeMoments(sample.input(), settings);
  EXPECT_TRUE(part) << part.error().message;
  if (!part) return {};
  const auto decoded = decodeSample(CodecId::Moments, sample.shape, part->payload, {});
  EXPECT_TRUE(decoded) << decoded.error().message;
  if (!decoded) return {};
  EXPECT_TRUE(sameBytes(*decoded, part->restored));
  if (bytes != nullptr) *bytes = part->payload.size();
  return valuesOf(*decoded, ElementType::F32);
}

std::vector<float> restoredSecond(const Moments& moments, unsigned bits,
                                  std::size_t* bytes = nullptr) {
  return restored(moments.sample(moments.second), {.bits = bits, .areSquares = true}, bytes);
}

std::vector<float> restoredFirst(const Moments& moments, unsigned bits,
                                 std::size_t* bytes = nullptr) {
  const Bytes second = wordsOf(moments.second, ElementType::F32);
  return restored(moments.sample(moments.first), {.bits = bits, .secondMoments = second}, bytes);
}

double relativeError(const std::vector<float>& original, const std::vector<float>& found) {
  double error = 0;
  double all = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    const double off = double{original[i]} - double{found[i]};
    error += off * off;
    all += double{original[i]} * original[i];
  }
  return std::sqrt(error / all);
}

TEST(SecondMoments, AreZeroWhereTheyWereAndPositiveElsewhere) {
  for (const auto& [rows, columns] : {std::pair{60U, 90U}, {3U, 500U}, {500U, 3U}, {1U, 40U}}) {
    const Moments moments = makeMoments(rows, columns, 5);
    for (unsigned bits = 0; bits <= 8; ++bits) {
      const std::vector<float> found = restoredSecond(moments, bits);
      ASSERT_EQ(found.size(), moments.second.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i] == 0, moments.second[i] == 0) << bits << " bits, word " << i;
        ASSERT_TRUE(std::isfinite(found[i]) && !std::signbit(found[i])) << found[i];
      }
    }
  }
}

TEST(SecondMoments, StayWithinTheStepOfTheirBits) {
  const Moments moments = makeMoments(200, 300, 6);
  for (unsigned bits = 1; bits <= 8; ++bits) {
    const double octaves = std::exp2(4.0 - bits);
    const std::vector<float> found = restoredSecond(moments, bits);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == 0) continue;
      // Bits of floats are off from the logarithm by up to 0.086 on either side.
      ASSERT_LT(std::fabs(std::log2(found[i] / moments.second[i])), octaves + 0.2)
          << bits << " bits: " << moments.second[i] << " as " << found[i];
    }
  }
}

TEST(SecondMoments, TakeNoBitsWhereNothingWasTouched) {
  Moments moments{{wordFormat(ElementType::F32), 4000, 64}, {}, {}};
  moments.second.assign(moments.shape.wordCount(), 0.0F);
  for (std::size_t i = 64 * 70; i < 64 * 80; ++i) {
    moments.second[i] = 1e-6F * static_cast<float>(1 + i % 9);
  }
  std::size_t bytes = 0;
  const std::vector<float> found = restoredSecond(moments, 4, &bytes);
  EXPECT_LT(bytes, 700U);
  EXPECT_LT(relativeError(moments.second, found), 0.3);
}

TEST(SecondMoments, HaveWiderStepsWhereTheirRangeNeedsIt) {
  Moments moments{{wordFormat(ElementType::F32), 32, 32}, {}, {}};
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> exponent(-95, 5);
  for (std::size_t i = 0; i < 1024; ++i) {
    moments.second.push_back(static_cast<float>(std::exp2(exponent(random))));
  }
  const std::vector<float> found = restoredSecond(moments, 8);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_LT(std::fabs(std::log2(found[i] / moments.second[i])), 1) << i;
  }
}

TEST(SecondMoments, AreRefusedBelowZeroAndWhereTheyAreNoNumbers) {
  const Moments moments = makeMoments(20, 20, 7);
  for (const float bad :
       {-1e-12F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = moments.second;
    values[33] = bad;
    const auto part =
        encodeMoments(moments.sample(values).input(), {.bits = 4, .areSquares = true});
    ASSERT_FALSE(part) << bad;
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
    const Bytes second = wordsOf(values, ElementType::F32);
    const auto first =
        encodeMoments(moments.sample(moments.first).input(), {.bits = 4, .secondMoments = second});
    ASSERT_FALSE(first) << bad;
    EXPECT_EQ(first.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(FirstMoments, AreZeroWhereverTheSecondIs) {
  Moments moments = makeMoments(60, 90, 8);
  // A gradient so small that its square is 0 in f32.
  for (std::size_t i = 0; i < moments.first.size(); i += 97) {
    moments.first[i] = 1e-25F;
    moments.second[i] = 0;
  }
  for (unsigned bits = 0; bits <= 8; ++bits) {
    const std::vector<float> found = restoredFirst(moments, bits);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (moments.second[i] != 0) continue;
      ASSERT_EQ(found[i], 0.0F) << bits << " bits, word " << i;
    }
  }
}

TEST(FirstMoments, MakeNoStepThatTheOriginalWouldNot) {
  const Moments moments = makeMoments(200, 300, 10);
  float most = 0;
  for (std::size_t i = 0; i < moments.first.size(); ++i) {
    most = std::max(most, std::fabs(moments.first[i]) / (std::sqrt(moments.second[i]) + kEpsilon));
  }
  for (const auto& [firstBits, secondBits] : {std::pair{3U, 3U}, {2U, 2U}, {8U, 8U}, {0U, 0U}}) {
    const std::vector<float> first = restoredFirst(moments, firstBits);
    const std::vector<float> second = restoredSecond(moments, secondBits);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const float step = first[i] / (std::sqrt(second[i]) + kEpsilon);
      ASSERT_TRUE(std::isfinite(step)) << i;
      ASSERT_LE(std::fabs(step), 2 * most) << firstBits << " bits, word " << i;
    }
  }
}

TEST(FirstMoments, ComeNearerWithEveryBit) {
  const Moments moments = makeMoments(200, 300, 11);
  double before = 1;
  for (const unsigned bits : {2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    const double error = relativeError(moments.first, restoredFirst(moments, bits));
    EXPECT_LT(error, before) << bits;
    before = error;
  }
  EXPECT_LT(before, 0.04);
}

TEST(FirstMoments, KeepTheirSignsWithOneBitAndNothingWithNone) {
  const Moments moments = makeMoments(64, 64, 12);
  std::size_t bytes = 0;
  const std::vector<float> signs = restoredFirst(moments, 1, &bytes);
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (moments.second[i] == 0 || moments.first[i] == 0) continue;
    ASSERT_EQ(std::signbit(signs[i]), std::signbit(moments.first[i])) << i;
    ASSERT_NE(signs[i], 0.0F) << i;
  }
  EXPECT_LT(bytes, 64U * 64 / 8 + 200);
  const std::vector<float> none = restoredFirst(moments, 0, &bytes);
  EXPECT_TRUE(std::ranges::all_of(none, [](float value) { return value == 0; }));
  EXPECT_LT(bytes, 300U);
}

TEST(FirstMoments, StandOnTheirOwnWithMomentumAlone) {
  const Moments moments = makeMoments(100, 100, 13);
  const std::vector<float> found = restored(moments.sample(moments.first), {.bits = 5});
  EXPECT_LT(relativeError(moments.first, found), 0.2);
}

TEST(Moments, TakeNoMoreThanEightBits) {
  const Moments moments = makeMoments(8, 8, 14);
  const auto part = encodeMoments(moments.sample(moments.first).input(), {.bits = 9});
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
}

/// A payload of 2 x 2 words that FORMAT.md allows to be made by hand: no terms, one offset, and a
/// table in which symbol 1 alone occurs.
Bytes handMade(std::uint8_t flags, std::uint8_t unit, std::int32_t base, std::int16_t offset) {
  ByteWriter out;
  out.byte(flags);
  out.byte(unit);
  out.fixed(base);
  out.byte(1);
  out.fixed(offset);
  return out.take();
}

TEST(Moments, OfDamagedHeadersAreRefused) {
  const PartShape shape{wordFormat(ElementType::F32), 2, 2};
  for (const Bytes& payload : {handMade(16, 19, 0, 0), handMade(4, 24, 0, 0), handMade(4, 19, 0, 0),
                               handMade(3, 19, 0, 0), Bytes{}}) {
    const auto opened = openPart(CodecId::Moments, shape, payload, 0, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
}

TEST(Moments, OfTheLargestSizesStayFinite) {
  // The header of a sound payload, with sizes that no writer gives: the words are other ones, so
  // the checksum refuses them, but no word is out of range on the way.
  const Moments moments = makeMoments(20, 20, 15);
  const auto part = encodeMoments(moments.sample(moments.second).input(), {.areSquares = true});
  ASSERT_TRUE(part);
  for (const std::uint8_t byte : {std::uint8_t{0x7f}, std::uint8_t{0x80}}) {
    Bytes payload = part->payload;
    payload[5] = std::byte{byte};  // the top of the base
    const auto decoded = decodeSample(CodecId::Moments, moments.shape, payload, {});
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, ErrorCode::CorruptData);
  }
}

}  // namespace
}  // namespace strata::test
