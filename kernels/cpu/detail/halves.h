#pragma once

// Half-precision floats, compiled once per instruction set (see loops.h): by the CPU's own
// conversions where it has them. Both ways give the same bits.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/word_math.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// The values of halves; NaN payloads move as they are.
inline void widenHalves(const std::uint16_t* words, std::size_t count, float* out) noexcept {
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    const __m128i w = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + i));
    const __m128i magnitude = _mm_and_si128(w, _mm_set1_epi16(0x7fff));
    // The CPU makes signalling NaNs quiet.
    if (_mm_movemask_epi8(_mm_cmpgt_epi16(magnitude, _mm_set1_epi16(0x7c00))) != 0) {
      for (std::size_t j = i; j < i + 8; ++j) out[j] = floatOfHalf(words[j]);
    } else {
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(w));
    }
  }
#endif
  for (; i < count; ++i) out[i] = floatOfHalf(words[i]);
}

/// Rounds to nearest even; a NaN keeps the top of its payload.
inline void narrowHalves(const float* values, std::size_t count, std::uint16_t* out) noexcept {
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    const __m128i w = _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), w);
  }
#endif
  for (; i < count; ++i) out[i] = halfOfFloat(values[i]);
}

/// out = the halves whose values `map(values, start, n)` makes of those of `in`, rounded; what is
/// infinite or NaN stays. `out` may be `in`.
template <typename Map>
void mapHalves(const std::uint16_t* in, std::size_t count, std::uint16_t* out, Map&& map) noexcept {
  constexpr std::size_t kPiece = 256;
  float values[kPiece];
  std::uint16_t mapped[kPiece];
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    widenHalves(in + start, n, values);
    map(values, start, n);
    narrowHalves(values, n, mapped);
    for (std::size_t i = 0; i < n; ++i) {
      out[start + i] = isHalfNumber(in[start + i]) ? mapped[i] : in[start + i];
    }
  }
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
