#pragma once

// Plain loops of the lossy codecs, compiled once per instruction set like those of loops.h.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/detail/checksum.h"
#include "kernels/cpu/detail/rans_loops.h"
#include "kernels/level_kernels.h"
#include "kernels/word_math.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

void addSigns(float* values, const std::uint64_t* signs, float amplitude,
              std::size_t count) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(amplitude);
  for (std::size_t start = 0; start < count; start += 32) {
    const auto half = static_cast<std::uint32_t>(signs[start / 64] >> start % 64);
    const std::size_t n = count - start < 32 ? count - start : 32;
    for (std::uint32_t i = 0; i < n; ++i) {
      values[start + i] += std::bit_cast<float>(bits ^ (half >> i & 1) << 31);
    }
  }
}

/// Whether all levels lie in a table of levels -most … most.
inline bool areInTable(const std::uint32_t* levels, std::uint32_t most,
                       std::size_t count) noexcept {
  std::uint32_t beyond = 0;
  for (std::size_t i = 0; i < count; ++i) beyond |= levels[i] + most > 2 * most ? 1U : 0U;
  return beyond == 0;
}

void addLevels(float* values, const std::uint32_t* levels, const LevelValues& table,
               std::size_t count) noexcept {
  constexpr std::size_t kPiece = 256;
  const auto most = static_cast<std::int32_t>(table.most);
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = count - start < kPiece ? count - start : kPiece;
    float* const to = values + start;
    const std::uint32_t* const from = levels + start;
    if (areInTable(from, table.most, n)) {
      const float* const zero = table.values + most;
      for (std::size_t i = 0; i < n; ++i) to[i] += zero[static_cast<std::int32_t>(from[i])];
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto level = static_cast<std::int32_t>(from[i]);
      to[i] += valueOfLevel(level, table.values, most, table.isUniform, table.step);
    }
  }
}

/// A decoder's table of few symbols, none with raw bits: the entry of a slot is the slot plus
/// `first`, plus the deltas of the symbols that start at it or before.
struct FewSymbols {
  static constexpr std::size_t kMost = 8;

  std::uint32_t first;
  std::size_t others;  ///< symbols behind the first one
  std::uint32_t starts[kMost - 1];
  std::uint32_t deltas[kMost - 1];

  /// False if there are symbols from kMost on; the rest is then unspecified.
  bool take(const std::uint32_t* table) noexcept {
    std::uint32_t before = first = table[0];
    others = 0;
    for (std::uint32_t slot = 0;;) {
      if (table[slot] >> 22 >= kMost) return false;
      slot += (table[slot] >> kProbabilityBits & (kProbabilityScale - 1)) + 1;
      if (slot >= kProbabilityScale) return true;
      if (others == kMost - 1) return false;
      starts[others] = slot;
      deltas[others++] = table[slot] - slot - before;
      before = table[slot] - slot;
    }
  }
};

/// Whether `count` contexts, at least one, are one and the same.
inline bool areOne(const std::uint8_t* contexts, std::size_t count) noexcept {
  std::uint8_t other = 0;
  for (std::size_t i = 0; i < count; ++i) other |= contexts[i] ^ contexts[0];
  return other == 0;
}

/// Words whose contexts are looked at together; a multiple of the lanes.
constexpr std::size_t kContextRun = 256;

void decodeLevels(RansDecoder& decoder, const std::uint32_t* tables, const std::uint8_t* contexts,
                  const LevelValues& table, std::size_t count, float* values) noexcept {
  constexpr std::size_t kPiece = 256;  // a multiple of the lanes
  std::uint32_t levels[kPiece];
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    decodeDeltas(decoder, tables, contexts + start, n, levels);
    addLevels(values + start, levels, table, n);
  }
}

void rowContexts(const std::int16_t* columnTerms, int rowTerm, std::size_t count,
                 const std::uint8_t* map, std::uint8_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) out[i] = map[std::clamp(rowTerm + columnTerms[i], 1, 63)];
}

void quantize(const float* values, std::size_t count, LevelGrid grid,
              std::int32_t* levels) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float steps = std::fabs(values[i]) * grid.inverse + grid.offset;
    const float inside = steps < grid.most ? steps : grid.most;
    const auto size = static_cast<std::int32_t>(inside > 0 ? inside : 0);
    levels[i] = values[i] < 0 ? -size : size;
  }
}

std::size_t listNonZero(const std::int32_t* levels, std::size_t count, std::uint32_t* places,
                        std::int32_t* kept) noexcept {
  std::size_t listed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    places[listed] = static_cast<std::uint32_t>(i);
    kept[listed] = levels[i];
    listed += levels[i] != 0 ? 1 : 0;
  }
  return listed;
}

constexpr LevelKernels plainLevelKernels() noexcept {
  return {
      .decodeLevels = decodeLevels,
      .rowContexts = rowContexts,
      .quantize = quantize,
      .listNonZero = listNonZero,
      .beginHash = beginHash,
      .addToHash = addToHash,
      .endHash = endHash,
      .endHash128 = endHash128,
  };
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
