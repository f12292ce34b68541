#include "core/codec/exact/scale_terms.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/part_samples.h"

namespace strata {
namespace {

using test::makeSample;
using test::PartSample;

constexpr kernels::DeltaFormat kBrain{7, true, false};

std::vector<std::uint16_t> halves(const std::vector<std::byte>& bytes) {
  std::vector<std::uint16_t> words(bytes.size() / 2);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(test::wordAt(bytes, 2, i));
  }
  return words;
}

ScaleTerms measured(const PartSample& sample) {
  return measureTerms<std::uint16_t>(sample.shape, halves(sample.parent), halves(sample.words),
                                     kBrain);
}

PartShape brainShape(std::uint64_t rows, std::uint64_t columns) {
  return {wordFormat(ElementType::BF16), rows, columns};
}

std::vector<std::byte> written(const ScaleTerms& terms) {
  ByteWriter out;
  writeTerms(out, terms);
  return out.take();
}

TEST(ScaleTerms, AreReadAsTheyWereWritten) {
  const PartSample sample = makeSample(brainShape(90, 70), test::Content::FineTuned, 1);
  const ScaleTerms full = measured(sample);
  for (const ScaleTerms& terms :
       {full, withoutColumns(full), withoutRows(full), withoutRows(withoutColumns(full))}) {
    const auto bytes = written(terms);
    ByteReader in(bytes);
    const auto read = readTerms(in, sample.shape, {!terms.rows.empty(), !terms.columns.empty()});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->rows, terms.rows);
    EXPECT_EQ(read->columns, terms.columns);
    EXPECT_TRUE(!terms.rows.empty() || read->all == terms.all);
    EXPECT_TRUE(in.rest().empty());
  }
}

TEST(ScaleTerms, MarkRowsThatDidNotChange) {
  PartSample sample = makeSample(brainShape(40, 30), test::Content::FineTuned, 2);
  std::copy_n(sample.parent.begin() + 60, 60, sample.words.begin() + 60);
  const ScaleTerms terms = measured(sample);
  EXPECT_EQ(terms.rows[1], ScaleTerms::kDeadRow);
  EXPECT_NE(terms.rows[0], ScaleTerms::kDeadRow);
  const auto bytes = written(terms);
  ByteReader in(bytes);
  EXPECT_EQ(readTerms(in, sample.shape, {true, true})->rows, terms.rows);
}

TEST(ScaleTerms, RiseByTwoWhereDifferencesDouble) {
  const std::size_t columns = 512;
  std::vector<std::uint16_t> parent(2 * columns, 0x3c00);
  std::vector<std::uint16_t> words = parent;
  for (std::size_t i = 0; i < columns; ++i) {
    words[i] = static_cast<std::uint16_t>(parent[i] + 4);
    words[columns + i] = static_cast<std::uint16_t>(parent[i] + 8);
  }
  const ScaleTerms terms =
      measureTerms<std::uint16_t>(brainShape(2, columns), parent, words, kBrain);
  EXPECT_EQ(terms.rows[1] - terms.rows[0], 2);
}

TEST(ScaleTerms, AreFiniteForWordsThatAreNot) {
  const PartSample sample = makeSample(brainShape(50, 40), test::Content::Specials, 3);
  const ScaleTerms terms = measured(sample);
  const auto bytes = written(terms);
  ByteReader in(bytes);
  const auto read = readTerms(in, sample.shape, {true, true});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows, terms.rows);
  EXPECT_EQ(read->columns, terms.columns);
}

TEST(ScaleTerms, AreRejectedWhenCutAtAnyByte) {
  const PartSample sample = makeSample(brainShape(60, 50), test::Content::FineTuned, 4);
  const auto bytes = written(measured(sample));
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    ByteReader in{std::span(bytes).first(kept)};
    EXPECT_FALSE(readTerms(in, sample.shape, {true, true})) << kept;
  }
}

TEST(ScaleTerms, AreRejectedOutOfRange) {
  for (const std::int64_t lowest : {-50'000, 50'000}) {
    ByteWriter out;
    out.varint(zigzag(lowest));
    ByteReader in(out.view());
    EXPECT_FALSE(readTerms(in, brainShape(1, 1), {false, false})) << lowest;
  }
}

}  // namespace
}  // namespace strata
