#pragma once

// Plain loops of the search for patterns, compiled once per instruction set like those of loops.h.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/pattern_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

void roundRun(const float* values, std::size_t count, unsigned log2, std::int16_t* out) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  constexpr std::size_t kSums = 8;
  float sums[kSums] = {};
  std::size_t at = 0;
  for (; at + kSums <= count; at += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += std::fabs(values[at + j]);
  }
  for (std::size_t j = 0; at + j < count; ++j) sums[j] += std::fabs(values[at + j]);
  float sum = 0;
  for (const float part : sums) sum += part;
  // Rounding adds half a unit for each entry at most.
  const float quotient = (32766.0F - static_cast<float>(n) / 2) / sum;
  const float scale = sum > 0 && quotient <= std::numeric_limits<float>::max() ? quotient : 0;
  for (std::size_t j = 0; j < count; ++j) {
    const float rounded = values[j] * scale + std::copysign(0.5F, values[j]);
    out[j] = static_cast<std::int16_t>(static_cast<std::int32_t>(rounded));
  }
  std::fill(out + count, out + n, std::int16_t{0});
}

/// Eight rows of eight numbers of 16 or 32 bits.
template <typename Number>
struct Square {
  static constexpr std::size_t kSide = 8;
  using Row [[gnu::vector_size(kSide * sizeof(Number))]] = Number;
  Row rows[kSide];

  void transpose() noexcept {
    swapBlocks<4>([](const Row& a, const Row& b, Row& upper, Row& lower) {
      upper = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
      lower = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    });
    swapBlocks<2>([](const Row& a, const Row& b, Row& upper, Row& lower) {
      upper = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      lower = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    });
    swapBlocks<1>([](const Row& a, const Row& b, Row& upper, Row& lower) {
      upper = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
      lower = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    });
  }

 private:
  /// Swaps the upper right and lower left blocks of kHalf by kHalf in each square of twice that.
  template <std::size_t kHalf, typename Swap>
  [[gnu::always_inline]] inline void swapBlocks(Swap&& swap) noexcept {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide; ++i) {
      if ((i & kHalf) != 0) continue;
      const Row a = rows[i];
      const Row b = rows[i + kHalf];
      swap(a, b, rows[i], rows[i + kHalf]);
    }
  }
};

void interleave(const std::int16_t* runs, unsigned log2, std::int16_t* out) noexcept {
  using Block = Square<std::int16_t>;
  const std::size_t n = std::size_t{1} << log2;
  const std::size_t whole = n / Block::kSide * Block::kSide;
  for (std::size_t j = 0; j < whole; j += Block::kSide) {
    for (std::size_t r = 0; r < kWalshBatch; r += Block::kSide) {
      Block block;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < Block::kSide; ++i) {
        std::memcpy(&block.rows[i], runs + (r + i) * n + j, sizeof(Block::Row));
      }
      block.transpose();
#pragma GCC unroll 8
      for (std::size_t i = 0; i < Block::kSide; ++i) {
        std::memcpy(out + (j + i) * kWalshBatch + r, &block.rows[i], sizeof(Block::Row));
      }
    }
  }
  for (std::size_t j = whole; j < n; ++j) {
    for (std::size_t r = 0; r < kWalshBatch; ++r) out[j * kWalshBatch + r] = runs[r * n + j];
  }
}

void loadFlipped(const float* const* runs, const std::int16_t* const* flips, std::size_t count,
                 float* out) noexcept {
  using Block = Square<std::uint32_t>;
  static_assert(Block::kSide == kPatternBatch);
  using Flips [[gnu::vector_size(kPatternBatch * sizeof(std::int16_t))]] = std::int16_t;
  constexpr std::uint32_t kSign = 0x80000000U;
  const std::size_t whole = count / kPatternBatch * kPatternBatch;
  for (std::size_t j = 0; j < whole; j += kPatternBatch) {
    Block block;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kPatternBatch; ++r) {
      Flips flip;
      std::memcpy(&flip, flips[r] + j, sizeof flip);
      std::memcpy(&block.rows[r], runs[r] + j, sizeof(Block::Row));
      block.rows[r] ^= __builtin_convertvector(flip, Block::Row) & kSign;
    }
    block.transpose();
    std::memcpy(out + j * kPatternBatch, block.rows, sizeof block.rows);
  }
  for (std::size_t j = whole; j < count; ++j) {
    for (std::size_t r = 0; r < kPatternBatch; ++r) {
      out[j * kPatternBatch + r] = runs[r][j] * static_cast<float>(flips[r][j]);
    }
  }
}

std::size_t listNear(const std::int16_t* sizes, std::uint32_t bases, std::size_t runs,
                     std::int16_t margin, FlippedRun* out) noexcept {
  using Sizes [[gnu::vector_size(kWalshBatch * sizeof(std::int16_t))]] = std::int16_t;
  Sizes below{};  // the largest, then what is to be exceeded
  for (std::uint32_t m = 0; m < bases; ++m) {
    Sizes of;
    std::memcpy(&of, sizes + m * kWalshBatch, sizeof of);
    below = of > below ? of : below;
  }
  for (std::size_t r = 0; r < kWalshBatch; ++r) {
    const bool isSearched = r < runs && below[r] != 0;
    below[r] = isSearched ? static_cast<std::int16_t>(below[r] - margin - 1)
                          : std::numeric_limits<std::int16_t>::max();
  }
  std::size_t listed = 0;
  for (std::uint32_t m = 0; m < bases; ++m) {
    const std::int16_t* const of = sizes + m * kWalshBatch;
    std::int8_t isNear[kWalshBatch];
    for (std::size_t r = 0; r < kWalshBatch; ++r) isNear[r] = of[r] > below[r] ? 1 : 0;
    for (std::uint32_t first = 0; first < kWalshBatch; first += 8) {
      std::uint64_t flags;
      std::memcpy(&flags, isNear + first, sizeof flags);
      for (; flags != 0; flags &= flags - 1) {
        const auto r = first + static_cast<std::uint32_t>(std::countr_zero(flags)) / 8;
        out[listed++] = r << 16 | m;
      }
    }
  }
  return listed;
}

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

/// The first kLevels levels, of the first `n` entries of the flipped runs.
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

/// Levels that all stages but the last take together.
constexpr unsigned levelsBeforeLast(unsigned log2) noexcept {
  return log2 < kWalshLevels ? log2 : log2 - kWalshLevels;
}

/// The largest sizes in the transforms of kWalshLanes flipped runs. Entries from `used` on, a
/// multiple of 2^levelsBeforeLast, are 0 in `x` and in `scratch`, and stay so there.
inline void largestSizes(const std::int16_t* x, std::size_t used, unsigned log2,
                         const std::int16_t* flips, std::int16_t* scratch,
                         WalshEntry& peak) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  unsigned done = log2 == 0 ? 0 : (log2 - 1) % kWalshLevels + 1;
  switch (done) {
    case 0:
      mixFlipped<0>(x, flips, used, scratch);
      break;
    case 1:
      mixFlipped<1>(x, flips, used, scratch);
      break;
    case 2:
      mixFlipped<2>(x, flips, used, scratch);
      break;
    case 3:
      mixFlipped<3>(x, flips, used, scratch);
      break;
    default:
      mixFlipped<kWalshLevels>(x, flips, used, scratch);
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
    mixStrides<false>(scratch, used, std::size_t{1} << done, peak);
  }
  mixStrides<true>(scratch, n, std::size_t{1} << done, peak);
}

void walshSizes(const std::int16_t* x, std::size_t count, unsigned log2, const std::int16_t* flips,
                std::uint32_t bases, std::int16_t* scratch, std::int16_t* sizes) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  const std::size_t block = std::size_t{1} << levelsBeforeLast(log2);
  const std::size_t used = (count + block - 1) / block * block;
  std::fill(scratch + used * kWalshLanes, scratch + n * kWalshLanes, std::int16_t{0});
  for (std::size_t lane = 0; lane < kWalshBatch; lane += kWalshLanes) {
    for (std::uint32_t m = 0; m < bases; ++m) {
      WalshEntry peak{};
      largestSizes(x + lane, used, log2, flips + (std::size_t{m} << log2), scratch, peak);
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

constexpr PatternKernels plainPatternKernels() noexcept {
  return {
      .roundRun = roundRun,
      .interleave = interleave,
      .walshSizes = walshSizes,
      .listNear = listNear,
      .loadFlipped = loadFlipped,
      .walshPeaks = walshPeaks,
  };
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
