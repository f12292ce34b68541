// The kernels of the lossy codecs: every set against the plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/conformance/kernel_sets.h"
#include "tests/conformance/rans_blocks.h"

namespace strata::test {
namespace {

using kernels::FloatKind;

constexpr std::size_t kWords = 5003;

std::vector<float> edgyValues(unsigned seed) {
  std::vector<float> values;
  for (const auto word : edgyWords<std::uint32_t>(kWords, seed)) {
    values.push_back(std::bit_cast<float>(word));
  }
  return values;
}

/// Sums of infinities of both signs are NaNs whose sign is up to the machine: no codec makes them.
std::vector<float> finiteValues(unsigned seed) {
  auto values = edgyValues(seed);
  for (float& v : values) v = std::isfinite(v) ? v : 1.5F;
  return values;
}

TEST_P(EveryKernelSet, AddsValuesAsThePlainLoopsDo) {
  const auto values = finiteValues(41);
  const auto wide = edgyWords<std::uint32_t>(kWords, 42);
  const auto narrow = edgyWords<std::uint16_t>(kWords, 43);
  for (const std::size_t count : kOddCounts) {
    std::vector<std::uint32_t> found(count);
    std::vector<std::uint32_t> expected(count);
    set().addValues32(wide.data(), values.data(), count, found.data());
    plain().addValues32(wide.data(), values.data(), count, expected.data());
    ASSERT_EQ(found, expected);
    for (const FloatKind kind : {FloatKind::F16, FloatKind::BF16}) {
      std::vector<std::uint16_t> found16(count);
      std::vector<std::uint16_t> expected16(count);
      set().addValues16(narrow.data(), values.data(), kind, count, found16.data());
      plain().addValues16(narrow.data(), values.data(), kind, count, expected16.data());
      ASSERT_EQ(found16, expected16);
    }
  }
}

TEST_P(EveryKernelSet, AddsValuesInOneRounding) {
  const std::vector<std::uint16_t> parent{0x3f80, 0x3f80, 0x7f80, 0xffc1};  // 1, 1, inf, NaN
  const std::vector<float> values{0x1p-8F, 0x1.8p-7F, 5, 5};                // half a place: to even
  std::vector<std::uint16_t> out(4);
  set().addValues16(parent.data(), values.data(), FloatKind::BF16, 4, out.data());
  EXPECT_EQ(out, (std::vector<std::uint16_t>{0x3f80, 0x3f82, 0x7f80, 0xffc1}));
}

TEST_P(EveryKernelSet, FindsNearestLevelsAsThePlainLoopsDo) {
  const auto values = edgyValues(44);
  for (const std::size_t edgeCount : {0UL, 1UL, 3UL, 31UL, 255UL}) {
    std::vector<float> edges;
    for (std::size_t e = 0; e < edgeCount; ++e) {
      edges.push_back(std::ldexp(static_cast<float>(e) - 7.5F, static_cast<int>(e / 8)));
    }
    std::sort(edges.begin(), edges.end());
    for (const std::size_t count : kOddCounts) {
      std::vector<std::uint8_t> found(count + 1, 0xaa);
      set().nearestLevels(values.data(), count, edges.data(), edgeCount, found.data());
      for (std::size_t i = 0; i < count; ++i) {
        const auto below =
            std::count_if(edges.begin(), edges.end(), [&](float edge) { return values[i] > edge; });
        ASSERT_EQ(found[i], below) << values[i];
      }
      EXPECT_EQ(found[count], 0xaa);
    }
  }
}

/// Values of levels -most … most, rising, and a step for those beyond.
struct Levels {
  std::vector<float> values;
  kernels::LevelValues table{};

  Levels(std::uint32_t most, bool isUniform) {
    for (std::uint32_t i = 0; i <= 2 * most; ++i) {
      values.push_back((static_cast<float>(i) - static_cast<float>(most)) * 0.37F);
    }
    table = {values.data(), most, isUniform, 0.25F};
  }
};

std::vector<Levels> everyTable() {
  std::vector<Levels> tables;
  for (const bool isUniform : {true, false}) {
    for (const std::uint32_t most : {0U, 1U, 2U, 3U, 4U, 9U, 127U}) {
      tables.emplace_back(most, isUniform);
    }
  }
  return tables;
}

std::vector<std::uint32_t> bitsOf(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float v : values) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

/// What a stream of levels gives, decoded in pieces, and where the decoder stood at the end.
Decoded decodeLevels(const kernels::CpuKernels& set, const Stream& stream, const DeltaBlock& block,
                     const Levels& levels, unsigned lanes, std::size_t piece) {
  const auto slots = decoderTable(block.tables);
  kernels::RansDecoder decoder = decoderOf(stream, lanes);
  const std::size_t count = block.contexts.size();
  std::vector<float> values(count + 1);
  std::iota(values.begin(), values.end(), -2.5F);
  const float guard = values.back();
  for (std::size_t at = 0; at < count; at += piece) {
    kernels::levelKernels(set).decodeLevels(decoder, slots.data(), block.contexts.data() + at,
                                            levels.table, std::min(piece, count - at),
                                            values.data() + at);
  }
  EXPECT_EQ(values.back(), guard);
  return decodedBy(decoder, bitsOf(values));
}

TEST_P(EveryKernelSet, AddsTheValuesOfLevelsThatItDecodes) {
  for (const std::size_t count : {5UL, 31UL, 32UL, 33UL, 1000UL, 4097UL}) {
    for (const DeltaBlock& block : blocksOf(count)) {
      for (const unsigned lanes : {32U, 4U}) {
        const Stream stream = encodeBlock(plain(), block, lanes);
        const Decoded differences = decodeBlock(plain(), stream, block, lanes, 4096);
        for (const Levels& levels : everyTable()) {
          std::vector<float> expected(count + 1);
          std::iota(expected.begin(), expected.end(), -2.5F);
          plain().addLevels(expected.data(), differences.values.data(), levels.table, count);
          for (const std::size_t piece : {std::size_t{96}, std::size_t{4096}}) {
            const Decoded found = decodeLevels(set(), stream, block, levels, lanes, piece);
            ASSERT_EQ(found.values, bitsOf(expected)) << count << " levels, " << lanes << " lanes";
            ASSERT_EQ(found.left, 0);
            ASSERT_EQ(found.states, differences.states);
          }
        }
      }
    }
  }
}

TEST_P(EveryKernelSet, DecodesDamagedLevelsAsThePlainLoopsDo) {
  const std::vector<Levels> tables = everyTable();
  std::mt19937 random(8);
  for (std::size_t round = 0; round < 200; ++round) {
    const DeltaBlock block = blocksOf(700)[round % 5];
    const unsigned lanes = round % 3 == 0 ? 4 : 32;
    Stream stream = encodeBlock(plain(), block, lanes);
    stream.states[random() % lanes] = static_cast<std::uint32_t>(random());
    for (int i = 0; i < 4; ++i) stream.words[random() % stream.words.size()] ^= std::byte{0x91};
    if (round % 2 == 0) stream.words.resize(1 + (stream.words.size() - 1) / 6 * 2);
    const Levels& levels = tables[round % tables.size()];
    ASSERT_EQ(decodeLevels(set(), stream, block, levels, lanes, 4096),
              decodeLevels(plain(), stream, block, levels, lanes, 4096));
  }
}

TEST_P(EveryKernelSet, AddsLevelsAsThePlainLoopsDo) {
  std::vector<std::uint32_t> far = edgyWords<std::uint32_t>(kWords, 45);
  std::vector<std::uint32_t> near = far;
  for (std::uint32_t& level : near) level = level % 9 - 4;
  for (const Levels& levels : everyTable()) {
    for (const auto& numbers : {far, near}) {
      for (const std::size_t count : kOddCounts) {
        std::vector<float> found(count + 1, 1.5F);
        std::vector<float> expected = found;
        set().addLevels(found.data(), numbers.data(), levels.table, count);
        for (std::size_t i = 0; i < count; ++i) {
          plain().addLevels(&expected[i], &numbers[i], levels.table, 1);
        }
        ASSERT_EQ(bitsOf(found), bitsOf(expected)) << count << " levels";
      }
    }
  }
}

TEST_P(EveryKernelSet, FindsContextsOfRowsAndColumns) {
  std::array<std::uint8_t, 64> map{};
  for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<std::uint8_t>(200 - 3 * i);
  std::mt19937 random(46);
  std::vector<std::int16_t> columns(kWords);
  for (const int spread : {1, 40, 4255}) {
    for (std::int16_t& column : columns) {
      column = static_cast<std::int16_t>(static_cast<int>(random() % (2 * spread + 1)) - spread);
    }
    for (const int row : {-15254, -40, 0, 31, 63, 15254}) {
      for (const std::size_t count : kOddCounts) {
        std::vector<std::uint8_t> found(count + 1, 0xaa);
        kernels::levelKernels(set()).rowContexts(columns.data(), row, count, map.data(),
                                                 found.data());
        for (std::size_t i = 0; i < count; ++i) {
          const auto term = static_cast<std::size_t>(std::clamp(row + columns[i], 1, 63));
          ASSERT_EQ(found[i], map[term]) << row << " + " << columns[i];
        }
        ASSERT_EQ(found[count], 0xaa);
      }
    }
  }
}

TEST_P(EveryKernelSet, QuantizesAndListsLevels) {
  auto values = finiteValues(49);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = static_cast<float>(i % 7) - 3;
  for (const kernels::LevelGrid grid :
       {kernels::LevelGrid{1, 0.25F, 1048576}, {0.3F, -0.5F, 3}, {1e30F, 0.5F, 1048576}}) {
    for (const std::size_t count : kOddCounts) {
      std::vector<std::int32_t> levels(count + 1, 77);
      kernels::levelKernels(set()).quantize(values.data(), count, grid, levels.data());
      ASSERT_EQ(levels.back(), 77);
      levels.pop_back();
      std::vector<std::uint32_t> places;
      std::vector<std::int32_t> kept;
      for (std::size_t i = 0; i < count; ++i) {
        const float steps = std::fabs(values[i]) * grid.inverse + grid.offset;
        const auto size = static_cast<std::int32_t>(std::clamp(steps, 0.0F, grid.most));
        ASSERT_EQ(levels[i], values[i] < 0 ? -size : size) << values[i];
        if (size != 0) places.push_back(static_cast<std::uint32_t>(i));
        if (size != 0) kept.push_back(levels[i]);
      }
      std::vector<std::uint32_t> foundPlaces(count + kernels::kListSlack);
      std::vector<std::int32_t> found(count + kernels::kListSlack);
      const std::size_t listed = kernels::levelKernels(set()).listNonZero(
          levels.data(), count, foundPlaces.data(), found.data());
      foundPlaces.resize(listed);
      found.resize(listed);
      ASSERT_EQ(foundPlaces, places);
      ASSERT_EQ(found, kept);
    }
  }
}

}  // namespace
}  // namespace strata::test
