#pragma once

// AVX-512 loops over words; included by avx512.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/avx512_decode.h"
#include "kernels/cpu/detail/loops.h"

namespace strata::kernels::avx512_loops {
namespace {

/// Differences as magnitudes and sign bits.
struct Parted {
  __m512i magnitude;
  __m512i sign;
};

inline __m512i ordered16(__m512i w) noexcept {
  return _mm512_xor_si512(w, _mm512_srli_epi16(_mm512_srai_epi16(w, 15), 1));
}

inline __m512i ordered32(__m512i w) noexcept {
  return _mm512_xor_si512(w, _mm512_srli_epi32(_mm512_srai_epi32(w, 31), 1));
}

template <bool kFloat, bool kXor>
inline Parted parted16(__m512i parent, __m512i word) noexcept {
  if constexpr (kXor) return {_mm512_xor_si512(parent, word), _mm512_setzero_si512()};
  __m512i d = _mm512_sub_epi16(word, parent);
  if constexpr (kFloat) {
    const __m512i sign = _mm512_srai_epi16(parent, 15);
    d = _mm512_sub_epi16(ordered16(word), ordered16(parent));
    d = _mm512_sub_epi16(_mm512_xor_si512(d, sign), sign);
  }
  return {_mm512_abs_epi16(d), _mm512_srli_epi16(d, 15)};
}

template <bool kFloat, bool kXor>
inline Parted parted32(__m512i parent, __m512i word) noexcept {
  if constexpr (kXor) return {_mm512_xor_si512(parent, word), _mm512_setzero_si512()};
  __m512i d = _mm512_sub_epi32(word, parent);
  if constexpr (kFloat) {
    const __m512i sign = _mm512_srai_epi32(parent, 31);
    d = _mm512_sub_epi32(ordered32(word), ordered32(parent));
    d = _mm512_sub_epi32(_mm512_xor_si512(d, sign), sign);
  }
  return {_mm512_abs_epi32(d), _mm512_srli_epi32(d, 31)};
}

/// Symbols and raw bits of 16 magnitudes.
inline void storeCodes(__m512i m, __m512i sign, std::uint8_t* symbols,
                       std::uint32_t* raw) noexcept {
  const __m512i k = _mm512_subs_epu16(_mm512_set1_epi32(30), _mm512_lzcnt_epi32(m));
  const __m512i lead = _mm512_add_epi32(_mm512_srlv_epi32(m, k), _mm512_add_epi32(k, k));
  const __m512i symbol = _mm512_add_epi32(_mm512_add_epi32(lead, lead), sign);
  _mm512_storeu_si512(raw, lowBits(m, k));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols), _mm512_cvtepi32_epi8(symbol));
}

inline __m512i lowHalf(__m512i words) noexcept {
  return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
}
inline __m512i highHalf(__m512i words) noexcept {
  return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
}

template <bool kFloat, bool kXor>
void classifyMany(const std::uint16_t* parent, const std::uint16_t* words, std::size_t count,
                  DeltaCodes out) noexcept {
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const Parted d =
        parted16<kFloat, kXor>(_mm512_loadu_si512(parent + i), _mm512_loadu_si512(words + i));
    storeCodes(lowHalf(d.magnitude), lowHalf(d.sign), out.symbols + i, out.raw + i);
    storeCodes(highHalf(d.magnitude), highHalf(d.sign), out.symbols + i + 16, out.raw + i + 16);
  }
  classifyLoop<std::uint16_t, kFloat, kXor>(parent + i, words + i, count - i,
                                            {out.symbols + i, out.raw + i});
}

template <bool kFloat, bool kXor>
void classifyMany(const std::uint32_t* parent, const std::uint32_t* words, std::size_t count,
                  DeltaCodes out) noexcept {
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const Parted d =
        parted32<kFloat, kXor>(_mm512_loadu_si512(parent + i), _mm512_loadu_si512(words + i));
    storeCodes(d.magnitude, d.sign, out.symbols + i, out.raw + i);
  }
  classifyLoop<std::uint32_t, kFloat, kXor>(parent + i, words + i, count - i,
                                            {out.symbols + i, out.raw + i});
}

template <typename Word>
void classifyWords(const Word* parent, const Word* words, std::size_t count, DeltaFormat format,
                   DeltaCodes out) noexcept {
  if (format.isXor) return classifyMany<false, true>(parent, words, count, out);
  if (format.isFloat) return classifyMany<true, false>(parent, words, count, out);
  classifyMany<false, false>(parent, words, count, out);
}

}  // namespace
}  // namespace strata::kernels::avx512_loops
