#pragma once

// Plain loops of the lossy codecs, compiled once per instruction set like those of loops.h.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

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

void walshPeaks(const float* x, unsigned log2, const float* flips, std::uint32_t bases,
                float* scratch, float* peaks, std::uint32_t* indices) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  float best[kPatternBatch] = {};
  float value[kPatternBatch] = {};
  std::uint32_t at[kPatternBatch] = {};
  for (std::uint32_t m = 0; m < bases; ++m, flips += n) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t p = 0; p < kPatternBatch; ++p) {
        scratch[j * kPatternBatch + p] = x[j * kPatternBatch + p] * flips[j];
      }
    }
    std::size_t stride = 1;
    for (; stride * 4 <= n; stride *= 4) butterflies4(scratch, n, stride);
    if (stride < n) butterflies2(scratch, n, stride);
    for (std::uint32_t j = 0; j < n; ++j) {
      const float* y = scratch + j * kPatternBatch;
      const std::uint32_t number = m << log2 | j;
      for (std::size_t p = 0; p < kPatternBatch; ++p) {
        const float size = std::fabs(y[p]);
        const bool larger = size > best[p];
        at[p] = larger ? number : at[p];
        value[p] = larger ? y[p] : value[p];
        best[p] = larger ? size : best[p];
      }
    }
  }
  for (std::size_t p = 0; p < kPatternBatch; ++p) {
    peaks[p] = value[p];
    indices[p] = at[p];
  }
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

constexpr LevelKernels plainLevelKernels() noexcept {
  return {
      .decodeLevels = decodeLevels,
      .rowContexts = rowContexts,
      .beginHash = beginHash,
      .addToHash = addToHash,
      .endHash = endHash,
  };
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
