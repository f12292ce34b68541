#pragma once

// Walsh transforms of kPatternBatch vectors at once, one register for entry j of all of them.
// Included by the sets for x86 alone (see loops.h).

#include <immintrin.h>

#include "kernels/cpu/detail/pattern_loops.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

static_assert(kPatternBatch == 8);

/// The sums and differences of 2^kLevels entries, as butterflies2() takes them at strides of 1, 2,
/// 4 entries.
template <unsigned kLevels>
[[gnu::always_inline]] inline void mixEntries(__m256* v) noexcept {
#pragma GCC unroll 3
  for (unsigned half = 1; half < 1U << kLevels; half *= 2) {
#pragma GCC unroll 8
    for (unsigned i = 0; i < 1U << kLevels; ++i) {
      if ((i & half) != 0) continue;
      const __m256 sum = _mm256_add_ps(v[i], v[i + half]);
      v[i + half] = _mm256_sub_ps(v[i], v[i + half]);
      v[i] = sum;
    }
  }
}

inline __m256 sizesOf(__m256 v) noexcept {
  return _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
}

/// The largest sizes so far; what is no number is passed by.
template <unsigned kEntries>
[[gnu::always_inline]] inline __m256 largest(const __m256* v, __m256 before) noexcept {
#pragma GCC unroll 8
  for (unsigned i = 0; i < kEntries; ++i) before = _mm256_max_ps(sizesOf(v[i]), before);
  return before;
}

/// Three strides at once of the flipped vectors: the first pass.
inline __m256 mixFlipped(const float* x, const float* flips, std::size_t n, float* y) noexcept {
  __m256 peak = _mm256_setzero_ps();
  for (std::size_t j = 0; j < n; j += 8) {
    __m256 v[8];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
      v[i] = _mm256_mul_ps(_mm256_loadu_ps(x + (j + i) * kPatternBatch),
                           _mm256_broadcast_ss(flips + j + i));
    }
    mixEntries<3>(v);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) _mm256_storeu_ps(y + (j + i) * kPatternBatch, v[i]);
    if (n == 8) peak = largest<8>(v, peak);
  }
  return peak;
}

/// kLevels strides at once, from `stride` on; the largest sizes if it is the last pass.
template <unsigned kLevels, bool kLast>
inline __m256 mix(float* y, std::size_t n, std::size_t stride) noexcept {
  constexpr unsigned kEntries = 1U << kLevels;
  __m256 peak = _mm256_setzero_ps();
  for (std::size_t start = 0; start < n; start += stride * kEntries) {
    for (std::size_t at = start; at < start + stride; ++at) {
      __m256 v[kEntries];
#pragma GCC unroll 8
      for (unsigned i = 0; i < kEntries; ++i) {
        v[i] = _mm256_loadu_ps(y + (at + i * stride) * kPatternBatch);
      }
      mixEntries<kLevels>(v);
#pragma GCC unroll 8
      for (unsigned i = 0; i < kEntries; ++i) {
        _mm256_storeu_ps(y + (at + i * stride) * kPatternBatch, v[i]);
      }
      if constexpr (kLast) peak = largest<kEntries>(v, peak);
    }
  }
  return peak;
}

/// y = the transform of the flipped vectors; gives the largest sizes.
inline __m256 transform(const float* x, const float* flips, unsigned log2, float* y) noexcept {
  const std::size_t n = std::size_t{1} << log2;
  const __m256 peak = mixFlipped(x, flips, n, y);
  unsigned done = 3;
  for (; log2 - done > 3; done += 3) mix<3, false>(y, n, std::size_t{1} << done);
  switch (log2 - done) {
    case 1:
      return mix<1, true>(y, n, std::size_t{1} << done);
    case 2:
      return mix<2, true>(y, n, std::size_t{1} << done);
    case 3:
      return mix<3, true>(y, n, std::size_t{1} << done);
    default:
      return peak;
  }
}

/// As walshPeaks(); where a vector's peak lies is looked for only where it passes those before.
void walshPeaks8(const float* x, unsigned log2, const float* flips, std::uint32_t bases,
                 float* scratch, float* peaks, std::uint32_t* indices) noexcept {
  if (log2 < 3) return walshPeaks(x, log2, flips, bases, scratch, peaks, indices);
  const std::uint32_t n = 1U << log2;
  __m256 best = _mm256_setzero_ps();
  __m256 value = _mm256_setzero_ps();
  __m256 place = _mm256_setzero_ps();  // bits of numbers
  for (std::uint32_t m = 0; m < bases; ++m, flips += n) {
    const __m256 peak = transform(x, flips, log2, scratch);
    const __m256 passes = _mm256_cmp_ps(peak, best, _CMP_GT_OQ);
    if (_mm256_movemask_ps(passes) == 0) continue;
    best = _mm256_blendv_ps(best, peak, passes);
    // Backwards, so that the first of equal ones stays.
    for (std::uint32_t j = n; j-- > 0;) {
      const __m256 y = _mm256_loadu_ps(scratch + j * kPatternBatch);
      const __m256 found = _mm256_and_ps(_mm256_cmp_ps(sizesOf(y), peak, _CMP_EQ_OQ), passes);
      const __m256i number = _mm256_set1_epi32(static_cast<int>(m << log2 | j));
      value = _mm256_blendv_ps(value, y, found);
      place = _mm256_blendv_ps(place, _mm256_castsi256_ps(number), found);
    }
  }
  _mm256_storeu_ps(peaks, value);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices), _mm256_castps_si256(place));
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
