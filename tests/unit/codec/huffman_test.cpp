#include "core/codec/entropy/huffman.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/codec/entropy/frequency_table.h"
#include "tests/support/huffman_bits.h"

namespace strata::test {
namespace {

using Counts = std::vector<std::uint32_t>;

/// A code for symbols -3, -2, … with these counts, all above 0.
PrefixCode codeOf(const Counts& counts) {
  const auto lengths = huffmanLengths(counts);
  std::vector<CodeSymbol> symbols;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    symbols.push_back({static_cast<std::int32_t>(i) - 3, lengths[i]});
  }
  return PrefixCode::make(symbols).value();
}

/// Fibonacci numbers make the longest words: 40 would take 39 bits without a limit.
Counts steepCounts(std::size_t count) {
  Counts counts{1, 1};
  while (counts.size() < count)
    counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  return counts;
}

TEST(HuffmanLengths, AreThoseOfTheTextbook) {
  EXPECT_EQ(huffmanLengths(Counts{5, 9, 12, 13, 16, 45}),
            (std::vector<std::uint8_t>{4, 4, 3, 3, 3, 1}));
  EXPECT_EQ(test::huffmanBits(Counts{5, 9, 12, 13, 16, 45}), 224);
}

TEST(HuffmanLengths, AreZeroForNoneAndForOne) {
  EXPECT_EQ(huffmanLengths(Counts{0, 0}), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(huffmanLengths(Counts{0, 7}), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(huffmanLengths(Counts{3, 0, 9}), (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST(HuffmanLengths, StayWithinABitOfTheEntropy) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Counts counts(2 + random() % 200);
    double total = 0;
    for (auto& c : counts) total += c = static_cast<std::uint32_t>(random() % 1000);
    const double entropy = entropyBits(counts);
    EXPECT_GE(test::huffmanBits(counts), entropy - 1e-6);
    EXPECT_LE(test::huffmanBits(counts), entropy + total);
  }
}

TEST(HuffmanLengths, NeverPassTheLimit) {
  for (const std::uint8_t length : huffmanLengths(steepCounts(45))) {
    EXPECT_LE(length, kMostCodeBits);
  }
  EXPECT_TRUE(PrefixCode::make({{0, 1}, {1, 1}}));
}

TEST(PrefixCode, BringsBackItsSymbols) {
  std::mt19937 random(2);
  for (const Counts& counts : {Counts{1, 1}, Counts{900, 90, 9, 1, 5, 300}, steepCounts(40),
                               Counts(300, 2), steepCounts(12)}) {
    const PrefixCode code = codeOf(counts);
    std::vector<std::int32_t> symbols(5000);
    for (auto& s : symbols) s = static_cast<std::int32_t>(random() % counts.size()) - 3;
    std::vector<std::byte> bytes;
    CodeWriter writer(bytes);
    for (const std::int32_t s : symbols) writer.put(code, s);
    writer.finish();
    ByteWriter table;
    code.write(table);
    ByteReader in(table.view());
    const auto read = PrefixCode::read(in);
    ASSERT_TRUE(read);
    EXPECT_TRUE(in.rest().empty());
    CodeReader reader(bytes);
    for (const std::int32_t s : symbols) ASSERT_EQ(reader.take(*read), s);
    EXPECT_TRUE(reader.endedClean());
  }
}

TEST(PrefixCode, TakesNoBitsForASingleSymbol) {
  const auto code = PrefixCode::make({{-7, 0}});
  ASSERT_TRUE(code);
  std::vector<std::byte> bytes;
  CodeWriter writer(bytes);
  writer.put(*code, -7);
  writer.finish();
  EXPECT_TRUE(bytes.empty());
  CodeReader reader(bytes);
  EXPECT_EQ(reader.take(*code), -7);
  EXPECT_TRUE(reader.endedClean());
}

TEST(PrefixCode, RefusesLengthsThatAreNoCode) {
  EXPECT_FALSE(PrefixCode::make({{0, 1}}));
  EXPECT_FALSE(PrefixCode::make({{0, 0}, {1, 0}}));
  EXPECT_FALSE(PrefixCode::make({{0, 1}, {1, 2}}));
  EXPECT_FALSE(PrefixCode::make({{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_FALSE(PrefixCode::make({{0, 1}, {1, 31}}));
}

TEST(PrefixCode, RefusesDamagedTables) {
  ByteWriter written;
  codeOf({5, 9, 12, 13, 16, 45}).write(written);
  const auto bytes = written.view();
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    ByteReader in(bytes.first(kept));
    EXPECT_FALSE(PrefixCode::read(in)) << kept;
  }
  ByteWriter falling;  // two symbols, the second no higher than the first
  for (const unsigned b : {2U, 4U, 0U, 1U, 1U}) falling.byte(static_cast<std::uint8_t>(b));
  ByteReader in(falling.view());
  EXPECT_FALSE(PrefixCode::read(in));
}

TEST(CodeReader, TellsOfMissingAndLeftOverBits) {
  const PrefixCode code = codeOf({1, 1, 1, 1, 1, 1, 1, 1});
  std::vector<std::byte> bytes;
  CodeWriter writer(bytes);
  for (int i = 0; i < 5; ++i) writer.put(code, 4);
  writer.finish();
  CodeReader tooFew(bytes);
  for (int i = 0; i < 2; ++i) tooFew.take(code);
  EXPECT_FALSE(tooFew.endedClean());
  CodeReader tooMany(bytes);
  for (int i = 0; i < 6; ++i) tooMany.take(code);
  EXPECT_FALSE(tooMany.endedClean());
  bytes.back() |= std::byte{0x80};
  CodeReader dirty(bytes);
  for (int i = 0; i < 5; ++i) dirty.take(code);
  EXPECT_FALSE(dirty.endedClean());
}

}  // namespace
}  // namespace strata::test
