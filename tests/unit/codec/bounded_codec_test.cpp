#include "core/codec/published/bounded_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/codec/published/dct.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16, ElementType::BF16};
constexpr BoundedMethod kMethods[] = {BoundedMethod::Uniform, BoundedMethod::Dct};

PartSample gaussian(ElementType type, std::uint64_t rows, std::uint64_t columns, double spread) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> weight(0, 0.05);
  std::normal_distribution<double> change(0, spread);
  std::vector<float> parent(rows * columns);
  std::vector<float> words(parent.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    parent[i] = static_cast<float>(weight(random));
    words[i] = static_cast<float>(parent[i] + change(random));
  }
  return {{wordFormat(type), rows, columns}, wordsOf(words, type), wordsOf(parent, type)};
}

/// Differences that one slow wave makes.
PartSample smooth() {
  std::vector<float> words(64 * 1024);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.01));
  }
  const PartShape shape{wordFormat(ElementType::F32), 64, 1024};
  return {shape, wordsOf(words, ElementType::F32), Bytes(words.size() * 4)};
}

double largestError(const PartSample& sample, const Bytes& restored, ElementType type) {
  const auto found = valuesOf(restored, type);
  const auto words = valuesOf(sample.words, type);
  double largest = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    largest = std::max(largest, std::abs(double{found[i]} - words[i]));
  }
  return largest;
}

TEST(BoundedCodec, KeepsEveryWordWithinTheBound) {
  for (const ElementType type : kTypes) {
    const PartSample sample = gaussian(type, 60, 71, 0.004);
    for (const BoundedMethod method : kMethods) {
      for (const double bound : {1e-7, 1e-5, 0.0003, 0.002, 0.1, 10.0}) {
        SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(bound));
        const auto part = encodeBounded(sample.input(), {.maxError = bound}, method);
        ASSERT_TRUE(part) << part.error().message;
        EXPECT_LE(largestError(sample, part->restored, type), bound);
        const auto decoded =
            decodeSample(CodecId::Bounded, sample.shape, part->payload, sample.parent);
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_TRUE(sameBytes(*decoded, part->restored));
      }
    }
  }
}

TEST(BoundedCodec, KeepsTheBoundFarFromTheParent) {
  PartSample sample = gaussian(ElementType::F32, 10, 67, 0.004);
  for (std::size_t i = 3; i < 600; i += 41) {
    setWord(sample.words, 4, i, 0x7f000000);  // 1.7e38
    setWord(sample.parent, 4, i + 1, 0xff000000);
  }
  for (const BoundedMethod method : kMethods) {
    const auto part = encodeBounded(sample.input(), {.maxError = 0.001}, method);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_LE(largestError(sample, part->restored, ElementType::F32), 0.001);
    const auto decoded = decodeSample(CodecId::Bounded, sample.shape, part->payload, sample.parent);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, part->restored));
  }
}

TEST(BoundedCodec, TakesFewerBytesForALargerBound) {
  const PartSample sample = gaussian(ElementType::F32, 256, 256, 0.004);
  std::size_t last = sample.words.size();
  for (const double bound : {1e-5, 1e-4, 1e-3, 1e-2}) {
    const auto part = encodeBounded(sample.input(), {.maxError = bound});
    ASSERT_TRUE(part);
    EXPECT_LT(part->payload.size(), last);
    last = part->payload.size();
  }
  EXPECT_LT(last, sample.words.size() / 50);
}

TEST(BoundedCodec, TakesTheCosinesOfSmoothDifferencesOnly) {
  const auto choice = [](const PartSample& sample) {
    return std::to_integer<unsigned>(encodeBounded(sample.input(), {.maxError = 1e-3})->payload[0]);
  };
  EXPECT_EQ(choice(smooth()), 4U);
  EXPECT_LT(choice(gaussian(ElementType::F32, 64, 1024, 0.004)), 4U);
  const auto dct = encodeBounded(smooth().input(), {.maxError = 1e-3}, BoundedMethod::Dct);
  const auto uniform = encodeBounded(smooth().input(), {.maxError = 1e-3}, BoundedMethod::Uniform);
  EXPECT_LT(dct->payload.size() * 2, uniform->payload.size());
}

TEST(BoundedCodec, RefusesBoundsThatAreNone) {
  const PartSample sample = gaussian(ElementType::F32, 2, 2, 0.004);
  for (const double bound : {0.0, -1.0, std::nan(""), double{INFINITY}, 1e300, 1e-320}) {
    const auto part = encodeBounded(sample.input(), {.maxError = bound});
    ASSERT_FALSE(part) << bound;
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(BoundedPayload, RefusesDamagedHeaders) {
  const PartSample sample = gaussian(ElementType::F32, 9, 31, 0.004);
  for (const BoundedMethod method : kMethods) {
    const Bytes payload = encodeBounded(sample.input(), {.maxError = 0.001}, method)->payload;
    const auto expectCorrupt = [&](std::size_t at, unsigned value) {
      Bytes damaged = payload;
      damaged[at] = static_cast<std::byte>(value);
      const auto opened = openBounded(sample.shape, damaged);
      ASSERT_FALSE(opened) << at << " " << value;
      EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
    };
    for (const unsigned flags : {5U, 6U, 7U, 8U, 0x84U}) expectCorrupt(0, flags);
    expectCorrupt(4, 0xb8);  // a negative step
  }
}

TEST(CosineTransform, IsTurnedBackWithinItsUnits) {
  std::mt19937_64 random(6);
  std::int32_t coefficients[kDctWords];
  for (auto& c : coefficients) c = static_cast<std::int32_t>(random() % 400) - 200;
  std::int32_t sums[kDctWords];
  inverseDct(coefficients, sums);
  float values[kDctWords];
  float found[kDctWords];
  for (unsigned i = 0; i < kDctWords; ++i) values[i] = static_cast<float>(sums[i]) * 0x1p-17F;
  forwardDct(values, found);
  for (unsigned i = 0; i < kDctWords; ++i) EXPECT_NEAR(found[i], coefficients[i], 0.05) << i;
}

TEST(CosineTransform, GivesTheIntegersOfTheFormat) {
  std::int32_t coefficients[kDctWords] = {1};
  std::int32_t sums[kDctWords];
  inverseDct(coefficients, sums);
  for (const std::int32_t sum : sums) EXPECT_EQ(sum, 16384);
  coefficients[0] = 0;
  coefficients[63] = 2;
  inverseDct(coefficients, sums);
  EXPECT_EQ(sums[0], 2 * 569);    // cos(63 pi / 128)
  EXPECT_EQ(sums[1], -2 * 1705);  // cos(189 pi / 128)
}

TEST(CosineTransform, StaysWithin32BitsAtItsLimit) {
  std::int32_t coefficients[kDctWords] = {};
  coefficients[1] = static_cast<std::int32_t>(kMostDctSum);
  std::int32_t sums[kDctWords];
  inverseDct(coefficients, sums);
  EXPECT_EQ(sums[0], std::int32_t{kMostDctSum} * 23163);
}

}  // namespace
}  // namespace strata::test
