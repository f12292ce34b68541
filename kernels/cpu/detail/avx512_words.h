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

/// Symbols of 16 magnitudes and, unless it is null, their raw bits.
template <bool kRaw>
inline void storeCodes(__m512i m, __m512i sign, std::uint8_t* symbols,
                       std::uint32_t* raw) noexcept {
  const __m512i k = _mm512_subs_epu16(_mm512_set1_epi32(30), _mm512_lzcnt_epi32(m));
  const __m512i lead = _mm512_add_epi32(_mm512_srlv_epi32(m, k), _mm512_add_epi32(k, k));
  const __m512i symbol = _mm512_add_epi32(_mm512_add_epi32(lead, lead), sign);
  if constexpr (kRaw) _mm512_storeu_si512(raw, lowBits(m, k));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(symbols), _mm512_cvtepi32_epi8(symbol));
}

inline __m512i lowHalf(__m512i words) noexcept {
  return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
}
inline __m512i highHalf(__m512i words) noexcept {
  return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
}

template <bool kFloat, bool kXor, bool kRaw>
std::size_t classifyMany(const std::uint16_t* parent, const std::uint16_t* words, std::size_t count,
                         DeltaCodes out) noexcept {
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const Parted d =
        parted16<kFloat, kXor>(_mm512_loadu_si512(parent + i), _mm512_loadu_si512(words + i));
    std::uint32_t* const raw = kRaw ? out.raw + i : nullptr;
    storeCodes<kRaw>(lowHalf(d.magnitude), lowHalf(d.sign), out.symbols + i, raw);
    storeCodes<kRaw>(highHalf(d.magnitude), highHalf(d.sign), out.symbols + i + 16,
                     kRaw ? raw + 16 : nullptr);
  }
  return i;
}

template <bool kFloat, bool kXor, bool kRaw>
std::size_t classifyMany(const std::uint32_t* parent, const std::uint32_t* words, std::size_t count,
                         DeltaCodes out) noexcept {
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const Parted d =
        parted32<kFloat, kXor>(_mm512_loadu_si512(parent + i), _mm512_loadu_si512(words + i));
    storeCodes<kRaw>(d.magnitude, d.sign, out.symbols + i, kRaw ? out.raw + i : nullptr);
  }
  return i;
}

template <bool kFloat, bool kXor, typename Word>
void classifyAll(const Word* parent, const Word* words, std::size_t count,
                 DeltaCodes out) noexcept {
  const bool wantsRaw = out.raw != nullptr;
  const std::size_t done = wantsRaw ? classifyMany<kFloat, kXor, true>(parent, words, count, out)
                                    : classifyMany<kFloat, kXor, false>(parent, words, count, out);
  classifyLoop<Word, kFloat, kXor>(parent + done, words + done, count - done,
                                   {out.symbols + done, wantsRaw ? out.raw + done : nullptr});
}

template <typename Word>
void classifyWords(const Word* parent, const Word* words, std::size_t count, DeltaFormat format,
                   DeltaCodes out) noexcept {
  if (format.isXor) return classifyAll<false, true>(parent, words, count, out);
  if (format.isFloat) return classifyAll<true, false>(parent, words, count, out);
  classifyAll<false, false>(parent, words, count, out);
}

/// Exponents of 32 words, as 16-bit numbers.
inline __m512i exponents(const std::uint16_t* words, __m128i mantissaBits) noexcept {
  const __m512i magnitude = _mm512_and_si512(_mm512_loadu_si512(words), _mm512_set1_epi16(0x7fff));
  return _mm512_srl_epi16(magnitude, mantissaBits);
}
inline __m512i exponents(const std::uint32_t* words, __m128i mantissaBits) noexcept {
  const auto half = [&](const std::uint32_t* from) {
    const __m512i magnitude =
        _mm512_and_si512(_mm512_loadu_si512(from), _mm512_set1_epi32(0x7fffffff));
    return _mm512_cvtepi32_epi16(_mm512_srl_epi32(magnitude, mantissaBits));
  };
  return _mm512_inserti64x4(_mm512_castsi256_si512(half(words)), half(words + 16), 1);
}

/// The numbers of 64 contexts.
class MapOfContexts {
 public:
  explicit MapOfContexts(const std::uint8_t* map) noexcept
      : low_(half(map)), high_(half(map + 32)) {}

  /// Writes the numbers of 32 contexts, brought into 1 to 63.
  void store(__m512i terms, std::uint8_t* out) const noexcept {
    const __m512i brought =
        _mm512_min_epi16(_mm512_max_epi16(terms, _mm512_set1_epi16(1)), _mm512_set1_epi16(63));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm512_cvtepi16_epi8(_mm512_permutex2var_epi16(low_, brought, high_)));
  }

 private:
  static __m512i half(const std::uint8_t* map) noexcept {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(map)));
  }

  __m512i low_;
  __m512i high_;
};

/// As the plain loop; with at least two mantissa bits, so that 16-bit sums hold.
template <typename Word>
void contextsOf(const Word* parent, const std::int16_t* columnTerms, int rowTerm, std::size_t count,
                DeltaFormat format, const std::uint8_t* map, std::uint8_t* out) noexcept {
  std::size_t i = 0;
  if (format.isFloat && format.mantissaBits >= 2) {
    const MapOfContexts table(map);
    const __m512i row = _mm512_set1_epi16(static_cast<short>(rowTerm));
    const __m128i mantissaBits = _mm_cvtsi32_si128(static_cast<int>(format.mantissaBits));
    for (; i + 32 <= count; i += 32) {
      const __m512i e = _mm512_max_epi16(exponents(parent + i, mantissaBits), _mm512_set1_epi16(1));
      __m512i term = _mm512_sub_epi16(row, _mm512_add_epi16(e, e));
      if (columnTerms != nullptr) {
        term = _mm512_add_epi16(term, _mm512_loadu_si512(columnTerms + i));
      }
      table.store(term, out + i);
    }
  }
  contexts(parent + i, columnTerms == nullptr ? nullptr : columnTerms + i, rowTerm, count - i,
           format, map, out + i);
}

}  // namespace
}  // namespace strata::kernels::avx512_loops
