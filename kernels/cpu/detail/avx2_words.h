#pragma once

// AVX2 loops over words; included by avx2.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/loops.h"

namespace strata::kernels::avx2_loops {
namespace {

/// Looks 32 numbers below 64 up in a table of 64 bytes.
inline __m256i lookUp(const __m256i* table, __m256i index) noexcept {
  const __m256i low = _mm256_and_si256(index, _mm256_set1_epi8(15));
  const __m256i bit4 = _mm256_slli_epi16(index, 3);
  const __m256i bit5 = _mm256_slli_epi16(index, 2);
  const __m256i a = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[0], low),
                                       _mm256_shuffle_epi8(table[1], low), bit4);
  const __m256i b = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[2], low),
                                       _mm256_shuffle_epi8(table[3], low), bit4);
  return _mm256_blendv_epi8(a, b, bit5);
}

/// Twice the exponents of 16 words, as 16-bit numbers.
inline __m256i doubledExponents(const std::uint16_t* words, __m128i mantissaBits) noexcept {
  const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i magnitude = _mm256_and_si256(w, _mm256_set1_epi16(0x7fff));
  const __m256i e =
      _mm256_max_epi16(_mm256_srl_epi16(magnitude, mantissaBits), _mm256_set1_epi16(1));
  return _mm256_slli_epi16(e, 1);
}
inline __m256i doubledExponents(const std::uint32_t* words, __m128i mantissaBits) noexcept {
  const __m256i mask = _mm256_set1_epi32(0x7fffffff);
  const auto* from = reinterpret_cast<const __m256i*>(words);
  const __m256i a =
      _mm256_srl_epi32(_mm256_and_si256(_mm256_loadu_si256(from), mask), mantissaBits);
  const __m256i b =
      _mm256_srl_epi32(_mm256_and_si256(_mm256_loadu_si256(from + 1), mask), mantissaBits);
  const __m256i e = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0b11011000);
  return _mm256_slli_epi16(_mm256_max_epi16(e, _mm256_set1_epi16(1)), 1);
}

inline __m256i columnTermsAt(const std::int16_t* columnTerms, std::size_t i) noexcept {
  if (columnTerms == nullptr) return _mm256_setzero_si256();
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columnTerms + i));
}

/// The numbers of 64 contexts.
class MapOfContexts {
 public:
  explicit MapOfContexts(const std::uint8_t* map) noexcept {
    for (int t = 0; t < 4; ++t) {
      table_[t] = _mm256_broadcastsi128_si256(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(map + 16 * t)));
    }
  }

  /// Writes the numbers of 32 contexts, brought into 1 to 63.
  void store(__m256i low, __m256i high, std::uint8_t* out) const noexcept {
    const __m256i bytes =
        _mm256_permute4x64_epi64(_mm256_packus_epi16(brought(low), brought(high)), 0b11011000);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lookUp(table_, bytes));
  }

 private:
  static __m256i brought(__m256i term) noexcept {
    return _mm256_min_epi16(_mm256_max_epi16(term, _mm256_set1_epi16(1)), _mm256_set1_epi16(63));
  }

  __m256i table_[4];
};

template <typename Word>
void contexts32at(const Word* parent, const std::int16_t* columnTerms, int rowTerm,
                  std::size_t count, DeltaFormat format, const std::uint8_t* map,
                  std::uint8_t* out) noexcept {
  std::size_t i = 0;
  if (format.isFloat && format.mantissaBits >= 2) {
    const MapOfContexts table(map);
    const __m256i row = _mm256_set1_epi16(static_cast<short>(rowTerm));
    const __m128i mantissaBits = _mm_cvtsi32_si128(static_cast<int>(format.mantissaBits));
    const auto terms = [&](std::size_t at) {
      const __m256i e = doubledExponents(parent + at, mantissaBits);
      return _mm256_add_epi16(_mm256_sub_epi16(row, e), columnTermsAt(columnTerms, at));
    };
    for (; i + 32 <= count; i += 32) table.store(terms(i), terms(i + 16), out + i);
  }
  if (i < count) {
    contexts(parent + i, columnTerms == nullptr ? nullptr : columnTerms + i, rowTerm, count - i,
             format, map, out + i);
  }
}

}  // namespace
}  // namespace strata::kernels::avx2_loops
