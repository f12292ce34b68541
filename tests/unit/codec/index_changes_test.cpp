#include "core/codec/published/index_changes.h"

#include <gtest/gtest.h>

#include <random>

namespace strata::test {
namespace {

using Indices = std::vector<std::uint8_t>;

Indices randomIndices(std::size_t count, unsigned indexCount, std::mt19937_64& random) {
  Indices indices(count);
  for (auto& i : indices) i = static_cast<std::uint8_t>(random() % indexCount);
  return indices;
}

/// Most indices of a version are those of the one before.
Indices nearIndices(const Indices& previous, unsigned indexCount, std::mt19937_64& random) {
  Indices indices = previous;
  for (auto& i : indices) {
    if (random() % 20 == 0 || i >= indexCount) i = static_cast<std::uint8_t>(random() % indexCount);
  }
  return indices;
}

template <typename Codes>
void expectSameChanges(const Codes& codes, const Codes& read, const GroupedChanges& groups,
                       const Indices& previous, unsigned bins) {
  std::vector<std::byte> bytes;
  codes.encode(groups, bytes);
  GroupedChanges found = emptyGroups(previous, static_cast<unsigned>(groups.ends.size()));
  ASSERT_TRUE(read.decode(bytes, bins, found));
  EXPECT_EQ(found.changes, groups.changes);
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read.decode(bytes, bins, found));
}

void expectCoded(const GroupedChanges& groups, const Indices& previous, unsigned bins) {
  const auto groupCount = static_cast<unsigned>(groups.ends.size());
  {
    const auto codes = RunCodes::fit(std::span(&groups, 1), groupCount);
    ByteWriter out;
    codes.write(out);
    ByteReader in(out.view());
    const auto read = RunCodes::read(in, groupCount);
    ASSERT_TRUE(read);
    EXPECT_TRUE(in.rest().empty());
    expectSameChanges(codes, *read, groups, previous, bins);
  }
  const auto codes = RansCodes::fit(std::span(&groups, 1), groupCount, bins);
  ByteWriter out;
  codes.write(out);
  ByteReader in(out.view());
  const auto read = RansCodes::read(in, groupCount, bins);
  ASSERT_TRUE(read);
  EXPECT_TRUE(in.rest().empty());
  expectSameChanges(codes, *read, groups, previous, bins);
}

// k = 4: indices 2 to 5 are levels.
const Indices kPrevious{2, 3, 3, 0, 2, 1, 3, 2};
const Indices kCurrent{2, 4, 3, 0, 1, 5, 3, 2};

Indices groupOf(const GroupedChanges& groups, std::size_t index) {
  const auto group = groups.group(index);
  return {group.begin(), group.end()};
}

TEST(IndexChanges, AreGroupedByThePreviousIndex) {
  const auto groups = groupChanges(kPrevious, kCurrent, 6, 6);
  EXPECT_EQ(groupOf(groups, 0), (Indices{0}));
  EXPECT_EQ(groupOf(groups, 1), (Indices{2}));
  EXPECT_EQ(groupOf(groups, 2), (Indices{0, 1, 0}));
  EXPECT_EQ(groupOf(groups, 3), (Indices{5, 0, 0}));
  EXPECT_TRUE(groupOf(groups, 4).empty());
  EXPECT_TRUE(groupOf(groups, 5).empty());
}

TEST(IndexChanges, AreTakenFromThePreviousIndex) {
  const auto groups = groupChanges(kPrevious, kCurrent, 6, 6);
  Indices found(kPrevious.size());
  ungroupChanges(groups, kPrevious, 6, found.data());
  EXPECT_EQ(found, kCurrent);
  expectCoded(groups, kPrevious, 6);
}

TEST(IndexChanges, ComeBackWhenTheNumberOfLevelsChanges) {
  std::mt19937_64 random(1);
  for (const auto& [before, after] :
       {std::pair{6U, 6U}, {6U, 34U}, {34U, 6U}, {3U, 256U}, {256U, 3U}, {256U, 256U}, {3U, 3U}}) {
    for (const std::size_t count : {0UL, 1UL, 2UL, 1000UL, 70'000UL}) {
      SCOPED_TRACE(std::to_string(before) + " " + std::to_string(after));
      const Indices previous = randomIndices(count, before, random);
      const Indices current = nearIndices(previous, after, random);
      const unsigned bins = binsOf(before, after);
      const auto groups = groupChanges(previous, current, bins, before);
      Indices found(count);
      ungroupChanges(groups, previous, bins, found.data());
      ASSERT_EQ(found, current);
      expectCoded(groups, previous, bins);
    }
  }
}

TEST(IndexChanges, TakeFewBytesWhereNothingChanged) {
  const Indices previous(1 << 20, 7);
  const auto groups = groupChanges(previous, previous, 18, 18);
  std::vector<std::byte> bytes;
  RunCodes::fit(std::span(&groups, 1), 18).encode(groups, bytes);
  EXPECT_LE(bytes.size(), 1U);
  bytes.clear();
  RansCodes::fit(std::span(&groups, 1), 18, 18).encode(groups, bytes);
  EXPECT_TRUE(bytes.empty());
}

/// Decodes the one group of `count` changes from symbols of one code.
bool decodes(const std::vector<CodeSymbol>& symbols, const std::vector<std::int32_t>& written,
             std::size_t count, unsigned bins) {
  const PrefixCode code = PrefixCode::make(symbols).value();
  ByteWriter out;
  code.write(out);
  ByteReader in(out.view());
  const auto codes = RunCodes::read(in, 1);
  std::vector<std::byte> bytes;
  CodeWriter writer(bytes);
  for (const std::int32_t symbol : written) writer.put(code, symbol);
  writer.finish();
  GroupedChanges groups = emptyGroups(Indices(count, 0), 1);
  return codes->decode(bytes, bins, groups);
}

TEST(RunCodes, RefuseSymbolsThatAreNoRuns) {
  const std::vector<CodeSymbol> symbols{{-9, 2}, {-1, 2}, {1, 3}, {2, 3}, {5, 3}, {0x7fffffff, 3}};
  EXPECT_TRUE(decodes(symbols, {-1, 5, -1}, 6, 10));
  EXPECT_TRUE(decodes(symbols, {-1, -1, -1}, 3, 10));
  EXPECT_FALSE(decodes(symbols, {5}, 5, 10)) << "a length without a value";
  EXPECT_FALSE(decodes(symbols, {-1, 2, 2}, 4, 10)) << "two lengths";
  EXPECT_FALSE(decodes(symbols, {-1, 1, -1}, 2, 10)) << "a length of one";
  EXPECT_FALSE(decodes(symbols, {-1, 5}, 4, 10)) << "a run beyond the end";
  EXPECT_FALSE(decodes(symbols, {-1, 0x7fffffff}, 4, 10)) << "a run beyond the end";
  EXPECT_FALSE(decodes(symbols, {-9}, 1, 9)) << "a value that is no bin";
  EXPECT_FALSE(decodes(symbols, {-1}, 9, 10)) << "too few";
}

TEST(RansCodes, RefuseGroupsWithoutATable) {
  const Indices previous{0, 0, 1};
  const auto groups = groupChanges({previous.data(), 2}, {previous.data(), 2}, 4, 2);
  const auto codes = RansCodes::fit(std::span(&groups, 1), 2, 4);
  GroupedChanges other = emptyGroups(previous, 2);
  EXPECT_FALSE(codes.decode({}, 4, other));
}

}  // namespace
}  // namespace strata::test
