#pragma once

// AVX-512 loops of the codec `levels`; included by avx512.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/avx512_decode.h"
#include "kernels/cpu/detail/avx512_words.h"
#include "kernels/cpu/detail/level_loops.h"

namespace strata::kernels::avx512_loops {
namespace {

/// What symbols stand for: those of levels up to 3, which have no raw bits, in a register.
struct LevelLines {
  __m512 small;  ///< of symbols 0 to 7, twice
  const LevelValues& table;
};

inline LevelLines linesOf(const LevelValues& table) noexcept {
  alignas(64) float small[16];
  for (int symbol = 0; symbol < 16; ++symbol) {
    const int size = symbol % 8 / 2;
    small[symbol] =
        valueOfLevel(symbol % 2 == 0 ? size : -size, table.values,
                     static_cast<std::int32_t>(table.most), table.isUniform, table.step);
  }
  return {_mm512_load_ps(small), table};
}

/// The values of any 16 levels.
inline __m512 valuesOf(const LevelLines& lines, __m512i levels) noexcept {
  const LevelValues& table = lines.table;
  if (table.isUniform && table.most <= 3) {
    // The smallest number is its own magnitude, and above all others without a sign.
    const __m512i size = _mm512_abs_epi32(levels);
    const __m512i symbol =
        _mm512_or_si512(_mm512_slli_epi32(size, 1), _mm512_srli_epi32(levels, 31));
    const __mmask16 isInside = _mm512_cmplt_epu32_mask(size, _mm512_set1_epi32(4));
    const __m512 beyond = _mm512_mul_ps(_mm512_cvtepi32_ps(levels), _mm512_set1_ps(table.step));
    return _mm512_mask_blend_ps(isInside, beyond, _mm512_permutexvar_ps(symbol, lines.small));
  }
  const auto most = static_cast<int>(table.most);
  const __m512i place = _mm512_add_epi32(levels, _mm512_set1_epi32(most));
  if (_mm512_cmpgt_epu32_mask(place, _mm512_set1_epi32(2 * most)) == 0) {
    return _mm512_castsi512_ps(lookUp<sizeof(float)>(place, table.values));
  }
  alignas(64) std::int32_t level[16];
  alignas(64) float value[16];
  _mm512_store_si512(level, levels);
  for (int i = 0; i < 16; ++i) {
    value[i] = valueOfLevel(level[i], table.values, most, table.isUniform, table.step);
  }
  return _mm512_load_ps(value);
}

inline void addTo(float* values, __m512 more) noexcept {
  _mm512_storeu_ps(values, _mm512_add_ps(_mm512_loadu_ps(values), more));
}

void addLevels16(float* values, const std::uint32_t* levels, const LevelValues& table,
                 std::size_t count) noexcept {
  const LevelLines lines = linesOf(table);
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16)
    addTo(values + i, valuesOf(lines, _mm512_loadu_si512(levels + i)));
  addLevels(values + i, levels + i, table, count - i);
}

/// Takes the levels of symbols below 8, whose entries are given.
[[gnu::always_inline]] inline void takeSmallLevels(Stream& s, const __m512i* entry,
                                                   const LevelLines& lines,
                                                   float* values) noexcept {
  for (int j = 0; j < 2; ++j) {
    s.state[j] = renormalise(advance(s.state[j], entry[j]), s.next);
    addTo(values + 16 * j, _mm512_permutexvar_ps(_mm512_srli_epi32(entry[j], 22), lines.small));
  }
}

/// 32 levels; `next` has as many words left as decodeGroup() wants.
[[gnu::always_inline]] inline void decodeLevelGroup(Stream& s, const std::uint32_t* tables,
                                                    const std::uint8_t* contexts,
                                                    const LevelLines& lines,
                                                    float* values) noexcept {
  const __m512i slotMask = _mm512_set1_epi32(kProbabilityScale - 1);
  __m512i entry[2];
  for (int j = 0; j < 2; ++j) {
    const __m512i context =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(contexts + 16 * j)));
    const __m512i index = _mm512_or_si512(_mm512_slli_epi32(context, kProbabilityBits),
                                          _mm512_and_si512(s.state[j], slotMask));
    entry[j] = lookUp<sizeof(std::uint32_t)>(index, tables);
  }
  const __m512i any = _mm512_or_si512(entry[0], entry[1]);
  if (_mm512_test_epi32_mask(any, _mm512_set1_epi32(-1 << 25)) == 0) {
    return takeSmallLevels(s, entry, lines, values);
  }
  alignas(64) std::uint32_t levels[32];
  decodeGroup(s, tables, contexts, levels);
  for (int j = 0; j < 2; ++j) {
    addTo(values + 16 * j, valuesOf(lines, _mm512_load_si512(levels + 16 * j)));
  }
}

/// The same where few symbols are all there are: comparisons in place of look-ups.
[[gnu::always_inline]] inline void decodeFewLevels(Stream& s, const FewSymbols& few,
                                                   const LevelLines& lines,
                                                   float* values) noexcept {
  __m512i slot[2];
  __m512i entry[2];
  for (int j = 0; j < 2; ++j) {
    slot[j] = _mm512_and_si512(s.state[j], _mm512_set1_epi32(kProbabilityScale - 1));
    entry[j] = _mm512_add_epi32(slot[j], _mm512_set1_epi32(static_cast<int>(few.first)));
  }
  for (std::size_t k = 0; k < few.others; ++k) {
    const __m512i start = _mm512_set1_epi32(static_cast<int>(few.starts[k]));
    const __m512i delta = _mm512_set1_epi32(static_cast<int>(few.deltas[k]));
    for (int j = 0; j < 2; ++j) {
      const __mmask16 isBehind = _mm512_cmpge_epi32_mask(slot[j], start);
      entry[j] = _mm512_mask_add_epi32(entry[j], isBehind, entry[j], delta);
    }
  }
  takeSmallLevels(s, entry, lines, values);
}

void decodeLevels32(RansDecoder& d, const std::uint32_t* tables, const std::uint8_t* contexts,
                    const LevelValues& table, std::size_t count, float* values) noexcept {
  std::size_t i = 0;
  if (d.lanes == 32 && count >= 32) {
    const LevelLines lines = linesOf(table);
    Stream s = load(d);
    while (i + 32 <= count && d.end - s.next >= kSlackWords) {
      const std::size_t end = i + std::min(kContextRun, (count - i) / 32 * 32);
      FewSymbols few;
      if (areOne(contexts + i, end - i) && few.take(tables + contexts[i] * kProbabilityScale)) {
        for (; i < end && d.end - s.next >= kSlackWords; i += 32) {
          decodeFewLevels(s, few, lines, values + i);
        }
      } else {
        for (; i < end && d.end - s.next >= kSlackWords; i += 32) {
          decodeLevelGroup(s, tables, contexts + i, lines, values + i);
        }
      }
    }
    store(s, d);
    if (const std::size_t groups = (count - i) / 32; groups != 0) {
      Stream last = s;
      decodeTail<kSlackWords>(d, last.next, groups, [&](std::size_t g) {
        decodeLevelGroup(last, tables, contexts + i + 32 * g, lines, values + i + 32 * g);
      });
      store(last, d);
      i += 32 * groups;
    }
  }
  if (i < count) decodeLevels(d, tables, contexts + i, table, count - i, values + i);
}

std::size_t listNonZero16(const std::int32_t* levels, std::size_t count, std::uint32_t* places,
                          std::int32_t* kept) noexcept {
  __m512i place = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::size_t listed = 0;
  for (std::size_t i = 0; i < count; i += 16) {
    const auto inside = static_cast<__mmask16>(count - i < 16 ? (1U << (count - i)) - 1 : 0xffff);
    const __m512i level = _mm512_maskz_loadu_epi32(inside, levels + i);
    const __mmask16 isKept = _mm512_test_epi32_mask(level, level);
    _mm512_storeu_si512(places + listed, _mm512_maskz_compress_epi32(isKept, place));
    _mm512_storeu_si512(kept + listed, _mm512_maskz_compress_epi32(isKept, level));
    listed += static_cast<unsigned>(__builtin_popcount(isKept));
    place = _mm512_add_epi32(place, _mm512_set1_epi32(16));
  }
  return listed;
}

void rowContexts32(const std::int16_t* columnTerms, int rowTerm, std::size_t count,
                   const std::uint8_t* map, std::uint8_t* out) noexcept {
  const MapOfContexts table(map);
  const __m512i row = _mm512_set1_epi16(static_cast<short>(rowTerm));
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    table.store(_mm512_add_epi16(row, _mm512_loadu_si512(columnTerms + i)), out + i);
  }
  rowContexts(columnTerms + i, rowTerm, count - i, map, out + i);
}

}  // namespace
}  // namespace strata::kernels::avx512_loops
