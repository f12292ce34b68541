#include "core/codec/published/rows_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/lossy_samples.h"
#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

/// A table in f32 and its parent, of which every `every`-th row was touched.
PartSample touchedTable(std::size_t rows, std::size_t columns, std::size_t every) {
  const auto before = normals(rows * columns, 0.05, 1);
  const auto moves = normals(rows * columns, 0.01, 2);
  std::vector<float> now = before;
  for (std::size_t i = 0; i < now.size(); ++i) now[i] += i / columns % every == 0 ? moves[i] : 0;
  return {{wordFormat(ElementType::F32), rows, columns},
          wordsOf(now, ElementType::F32),
          wordsOf(before, ElementType::F32)};
}

LossyPart encoded(const PartSample& sample, unsigned bits) {
  auto part = encodeRows(sample.input(), {.bits = bits});
  EXPECT_TRUE(part) << part.error().message;
  return part ? *std::move(part) : LossyPart{};
}

double meanError(const PartSample& sample, const LossyPart& part) {
  const auto words = valuesOf(sample.words, ElementType::F32);
  const auto restored = valuesOf(part.restored, ElementType::F32);
  double squares = 0;
  for (std::size_t i = 0; i < words.size(); ++i) squares += std::pow(words[i] - restored[i], 2);
  return std::sqrt(squares / static_cast<double>(words.size()));
}

TEST(RowsCodec, LeavesUntouchedRowsAsTheParentHasThem) {
  const PartSample sample = touchedTable(100, 32, 10);
  const LossyPart part = encoded(sample, 4);
  const std::size_t rowBytes = 32 * 4;
  for (std::size_t r = 0; r < 100; ++r) {
    const auto row = [&](const Bytes& bytes) { return bytes.data() + r * rowBytes; };
    const bool isParents =
        std::equal(row(part.restored), row(part.restored) + rowBytes, row(sample.parent));
    EXPECT_EQ(isParents, r % 10 != 0) << r;
  }
}

TEST(RowsCodec, TakesNextToNothingForUntouchedRows) {
  const LossyPart part = encoded(touchedTable(20'000, 16, 100), 4);
  // 200 rows: 16 words of 4 bits and two bounds each, and which rows they are.
  EXPECT_LT(part.payload.size(), 200 * (8 + 8) + 20'000 / 8);
  EXPECT_GT(part.payload.size(), 200 * 8U);
}

TEST(RowsCodec, KeepsWhatItQuantizedOnceIfNothingTouchesIt) {
  PartSample sample = touchedTable(50, 24, 1);
  const LossyPart first = encoded(sample, 4);
  sample.parent = first.restored;
  const LossyPart again = encoded(sample, 4);
  EXPECT_EQ(again.restored, first.restored);
  EXPECT_LT(again.payload.size(), 40U);
}

TEST(RowsCodec, StaysWithinHalfAStepOfEachRowsRange) {
  const PartSample sample = touchedTable(40, 50, 1);
  const LossyPart part = encoded(sample, 8);
  const auto words = valuesOf(sample.words, ElementType::F32);
  const auto restored = valuesOf(part.restored, ElementType::F32);
  for (std::size_t r = 0; r < 40; ++r) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(r * 50);
    const auto [least, most] = std::minmax_element(first, first + 50);
    const float half = (*most - *least) / 255 / 2;
    for (std::size_t i = r * 50; i < (r + 1) * 50; ++i) {
      ASSERT_LE(std::fabs(words[i] - restored[i]), half * 1.001F) << i;
    }
  }
}

TEST(RowsCodec, SearchesBoundsThatLoseLessThanLeastAndLargest) {
  const PartSample sample = touchedTable(60, 64, 1);
  const auto words = valuesOf(sample.words, ElementType::F32);
  double squares = 0;
  for (std::size_t r = 0; r < 60; ++r) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(r * 64);
    const auto [least, most] = std::minmax_element(first, first + 64);
    const double step = (*most - *least) / 3.0;
    for (auto at = first; at != first + 64; ++at) {
      const double off = std::remainder(*at - *least, step);
      squares += off * off;
    }
  }
  const double plain = std::sqrt(squares / static_cast<double>(words.size()));
  EXPECT_LT(meanError(sample, encoded(sample, 2)), 0.9 * plain);
}

TEST(RowsCodec, LosesLessWithMoreBits) {
  const PartSample sample = touchedTable(60, 64, 1);
  double last = 1;
  for (unsigned bits = 2; bits <= 8; ++bits) {
    const double error = meanError(sample, encoded(sample, bits));
    EXPECT_LT(error, 0.7 * last) << bits;
    last = error;
  }
}

TEST(RowsCodec, GivesRowsOfOneValueExactly) {
  PartSample sample = touchedTable(3, 20, 1);
  sample.words = wordsOf(std::vector<float>(60, 0.375F), ElementType::F32);
  EXPECT_EQ(encoded(sample, 2).restored, sample.words);
}

TEST(RowsCodec, RefusesOtherBits) {
  for (const unsigned bits : {0U, 1U, 9U}) {
    const auto part = encodeRows(touchedTable(4, 4, 1).input(), {.bits = bits});
    ASSERT_FALSE(part) << bits;
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(RowsPayload, RefusesDamagedHeaders) {
  const PartSample sample = touchedTable(4, 8, 2);
  const Bytes payload = encoded(sample, 4).payload;
  for (const unsigned bits : {0U, 1U, 9U, 255U}) {
    Bytes damaged = payload;
    damaged[0] = static_cast<std::byte>(bits);
    const auto opened = openRows(sample.shape, damaged);
    ASSERT_FALSE(opened) << bits;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
  Bytes states = payload;  // raw: 1 0 1 0
  ASSERT_EQ(states[1], std::byte{0});
  states[2] = std::byte{2};
  EXPECT_FALSE(openRows(sample.shape, states));
}

}  // namespace
}  // namespace strata::test
