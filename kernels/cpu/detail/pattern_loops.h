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

/// One pass of butterflies over two strides at once: halves the traffic of two plain passes and
/// gives the same sums.
inline void butterflies4(float* y, std::size_t count, std::size_t stride) noexcept {
  const std::size_t lanes = stride * kPatternBatch;
  for (std::size_t start = 0; start < count * kPatternBatch; start += 4 * lanes) {
    float* a = y + start;
    float* b = a + lanes;
    float* c = b + lanes;
    float* d = c + lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
      const float ab = a[i] + b[i];
      const float amb = a[i] - b[i];
      const float cd = c[i] + d[i];
      const float cmd = c[i] - d[i];
      a[i] = ab + cd;
      b[i] = amb + cmd;
      c[i] = ab - cd;
      d[i] = amb - cmd;
    }
  }
}

inline void butterflies2(float* y, std::size_t count, std::size_t stride) noexcept {
  const std::size_t lanes = stride * kPatternBatch;
  for (std::size_t start = 0; start < count * kPatternBatch; start += 2 * lanes) {
    float* a = y + start;
    float* b = a + lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
      const float sum = a[i] + b[i];
      b[i] = a[i] - b[i];
      a[i] = sum;
    }
  }
}

/// Numbers that one register holds, and levels of butterflies that the registers there are take in
/// one pass.
#if defined(__AVX512BW__)
constexpr std::size_t kWalshLanes = 32;
constexpr unsigned kWalshLevels = 4;
#elif defined(__AVX2__)
constexpr std::size_t kWalshLanes = 16;
constexpr unsigned kWalshLevels = 3;
#else
constexpr std::size_t kWalshLanes = 8;
constexpr unsigned kWalshLevels = 3;
#endif
static_assert(kWalshBatch % kWalshLanes == 0);

/// One entry of kWalshLanes vectors.
using WalshEntry [[gnu::vector_size(kWalshLanes * sizeof(std::int16_t))]] = std::int16_t;

inline void loadEntry(const std::int16_t* from, WalshEntry& entry) noexcept {
  std::memcpy(&entry, from, sizeof entry);
}
inline void storeEntry(const WalshEntry& entry, std::int16_t* to) noexcept {
  std::memcpy(to, &entry, sizeof entry);
}
inline void raiseTo(const WalshEntry& entry, WalshEntry& peak) noexcept {
  peak = entry > peak ? entry : peak;
}
inline void dropSigns(WalshEntry& entry) noexcept {
  const WalshEntry negative = -entry;
  entry = entry > negative ? entry : negative;
}

/// Sums and differences of 2^kLevels entries at strides of 1, 2, … entries.
template <unsigned kLevels>
[[gnu::always_inline]] inline void mixEntries(WalshEntry* v) noexcept {
#pragma GCC unroll 4
  for (unsigned half = 1; half < 1U << kLevels; half *= 2) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < 1U << kLevels; ++i) {
      if ((i & half) != 0) continue;
      const WalshEntry sum = v[i] + v[i + half];
      v[i + half] = v[i] - v[i + half];
      v[i] = sum;
    }
  }
}

/// The first kLevels levels, of the flipped vectors.
template <unsigned kLevels>
void mixFlipped(const std::int16_t* x, const std::int16_t* flips, std::size_t n,
                std::int16_t* y) noexcept {
  constexpr unsigned kEntries = 1U << kLevels;
  for (std::size_t j = 0; j < n; j += kEntries) {
    WalshEntry v[kEntries];
#pragma GCC unroll 16
    for (unsigned i = 0; i < kEntries; ++i) {
      loadEntry(x + (j + i) * kWalshBatch, v[i]);
      v[i] *= flips[j + i];
    }
    mixEntries<kLevels>(v);
#pragma GCC unroll 16
    for (unsigned i = 0; i < kEntries; ++i) storeEntry(v[i], y + (j + i) * kWalshLanes);
  }
}

/// kWalshLevels levels more, from `stride` on. The last ones are not stored: `peak` grows to the
/// largest size among them.
template <bool kLast>
void mixStrides(std::int16_t* y, std::size_t n, std::size_t stride, WalshEntry& peak) noexcept {
  constexpr unsigned kEntries = 1U << kWalshLevels;
  WalshEntry most = peak;
  for (std::size_t start = 0; start < n; start += stride * kEntries) {
    for (std::size_t at = start; at < start + stride; ++at) {
      WalshEntry v[kEntries];
#pragma GCC unroll 16
      for (unsigned i = 0; i < kEntries; ++i) loadEntry(y + (at + i * stride) * kWalshLanes, v[i]);
      if constexpr (kLast) {
        mixEntries<kWalshLevels - 1>(v);
        mixEntries<kWalshLevels - 1>(v + kEntries / 2);
#pragma GCC unroll 8
        for (unsigned i = 0; i < kEntries / 2; ++i) {
          // The larger of |a + b| and |a - b| is |a| + |b|.
          dropSigns(v[i]);
          dropSigns(v[i + kEntries / 2]);
          raiseTo(v[i] + v[i + kEntries / 2], most);
        }
      } else {
        mixEntries<kWalshLevels>(v);
#pragma GCC unroll 16
        for (unsigned i = 0; i < kEntries; ++i)
          storeEntry(v[i], y + (at + i * stride) * kWalshLanes);
      }
    }
  }
  peak = most;
}

/// The largest sizes in the transforms of kWalshLanes flipped vectors.
inline void largestSizes(const std::int16_t* x, unsigned log2, const std::int16_t* flips,
                         std::int16_t* scratch, WalshEntry& peak) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  unsigned done = log2 == 0 ? 0 : (log2 - 1) % kWalshLevels + 1;
  switch (done) {
    case 0:
      mixFlipped<0>(x, flips, n, scratch);
      break;
    case 1:
      mixFlipped<1>(x, flips, n, scratch);
      break;
    case 2:
      mixFlipped<2>(x, flips, n, scratch);
      break;
    case 3:
      mixFlipped<3>(x, flips, n, scratch);
      break;
    default:
      mixFlipped<kWalshLevels>(x, flips, n, scratch);
  }
  if (done == log2) {
    for (std::size_t j = 0; j < n; ++j) {
      WalshEntry v;
      loadEntry(scratch + j * kWalshLanes, v);
      dropSigns(v);
      raiseTo(v, peak);
    }
    return;
  }
  for (; done + kWalshLevels < log2; done += kWalshLevels) {
    mixStrides<false>(scratch, n, std::size_t{1} << done, peak);
  }
  mixStrides<true>(scratch, n, std::size_t{1} << done, peak);
}

void walshSizes(const std::int16_t* x, unsigned log2, const std::int16_t* flips,
                std::uint32_t bases, std::int16_t* scratch, std::int16_t* sizes) noexcept {
  for (std::size_t lane = 0; lane < kWalshBatch; lane += kWalshLanes) {
    for (std::uint32_t m = 0; m < bases; ++m) {
      WalshEntry peak{};
      largestSizes(x + lane, log2, flips + (std::size_t{m} << log2), scratch, peak);
      storeEntry(peak, sizes + m * kWalshBatch + lane);
    }
  }
}

void walshPeaks(float* x, unsigned log2, float* peaks, std::uint32_t* functions) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  std::size_t stride = 1;
  for (; stride * 4 <= n; stride *= 4) butterflies4(x, n, stride);
  if (stride < n) butterflies2(x, n, stride);
  using Numbers [[gnu::vector_size(kPatternBatch * sizeof(std::uint32_t))]] = std::uint32_t;
  Numbers best{};  // bits of sizes, which are in the order of the sizes
  Numbers value{};
  Numbers at{};
  for (std::uint32_t j = 0; j < n; ++j) {
    Numbers y;
    std::memcpy(&y, x + j * kPatternBatch, sizeof y);
    const Numbers size = y & 0x7fffffff;
    const auto larger = size > best;
    at = larger ? j - Numbers{} : at;
    value = larger ? y : value;
    best = larger ? size : best;
  }
  std::memcpy(peaks, &value, sizeof value);
  std::memcpy(functions, &at, sizeof at);
}

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
  };
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
