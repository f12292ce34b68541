#pragma once

// AVX2 loops of the codec `levels`; included by avx2.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/avx2_decode.h"
#include "kernels/cpu/detail/avx2_words.h"
#include "kernels/cpu/detail/level_loops.h"

namespace strata::kernels::avx2_loops {
namespace {

/// What symbols stand for: those of levels up to 3, which have no raw bits, in a register.
struct LevelLines {
  __m256 small;  ///< of symbols 0 to 7
  const LevelValues& table;
};

/// The level of a symbol below 8.
constexpr std::int32_t levelOfSymbol(int symbol) noexcept {
  return symbol % 2 == 0 ? symbol / 2 : -(symbol / 2);
}

inline LevelLines linesOf(const LevelValues& table) noexcept {
  alignas(32) float small[8];
  for (int symbol = 0; symbol < 8; ++symbol) {
    small[symbol] =
        valueOfLevel(levelOfSymbol(symbol), table.values, static_cast<std::int32_t>(table.most),
                     table.isUniform, table.step);
  }
  return {_mm256_load_ps(small), table};
}

/// The values of any 8 levels.
inline __m256 valuesOf(const LevelLines& lines, __m256i levels) noexcept {
  const LevelValues& table = lines.table;
  if (table.isUniform && table.most <= 3) {
    const __m256i size = _mm256_abs_epi32(levels);
    const __m256i symbol =
        _mm256_or_si256(_mm256_slli_epi32(size, 1), _mm256_srli_epi32(levels, 31));
    const __m256 inside = _mm256_permutevar8x32_ps(lines.small, symbol);
    const __m256 beyond = _mm256_mul_ps(_mm256_cvtepi32_ps(levels), _mm256_set1_ps(table.step));
    // The smallest number is its own magnitude, and negative.
    const __m256i isInside = _mm256_cmpeq_epi32(_mm256_srli_epi32(size, 2), _mm256_setzero_si256());
    return _mm256_blendv_ps(beyond, inside, _mm256_castsi256_ps(isInside));
  }
  const auto most = static_cast<int>(table.most);
  const __m256i place = _mm256_add_epi32(levels, _mm256_set1_epi32(most));
  const __m256i nearest = _mm256_min_epu32(place, _mm256_set1_epi32(2 * most));
  const __m256i known = _mm256_cmpeq_epi32(place, nearest);
  if (_mm256_movemask_epi8(known) == -1) {
    return _mm256_castsi256_ps(lookUp8<sizeof(float)>(place, table.values));
  }
  alignas(32) std::int32_t level[8];
  alignas(32) float value[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(level), levels);
  for (int i = 0; i < 8; ++i) {
    value[i] = valueOfLevel(level[i], table.values, most, table.isUniform, table.step);
  }
  return _mm256_load_ps(value);
}

inline void addTo(float* values, __m256 more) noexcept {
  _mm256_storeu_ps(values, _mm256_add_ps(_mm256_loadu_ps(values), more));
}

void addLevels8(float* values, const std::uint32_t* levels, const LevelValues& table,
                std::size_t count) noexcept {
  const LevelLines lines = linesOf(table);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    addTo(values + i,
          valuesOf(lines, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels + i))));
  }
  addLevels(values + i, levels + i, table, count - i);
}

/// Takes the levels of symbols below 8, whose entries are given.
[[gnu::always_inline]] inline void takeSmallLevels(Stream& s, const __m256i* entry,
                                                   const LevelLines& lines,
                                                   float* values) noexcept {
  for (int j = 0; j < 4; ++j) {
    s.state[j] = renormalise(advance(s.state[j], entry[j]), s.next);
    addTo(values + 8 * j, _mm256_permutevar8x32_ps(lines.small, _mm256_srli_epi32(entry[j], 22)));
  }
}

/// 32 levels; `next` has as many words left as decodeGroup() wants.
[[gnu::always_inline]] inline void decodeLevelGroup(Stream& s, const std::uint32_t* tables,
                                                    const std::uint8_t* contexts,
                                                    const LevelLines& lines,
                                                    float* values) noexcept {
  const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
  __m256i entry[4];
  for (int j = 0; j < 4; ++j) {
    const __m256i context =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(contexts + 8 * j)));
    const __m256i index = _mm256_or_si256(_mm256_slli_epi32(context, kProbabilityBits),
                                          _mm256_and_si256(s.state[j], slotMask));
    entry[j] = lookUp8<sizeof(std::uint32_t)>(index, tables);
  }
  const __m256i any =
      _mm256_or_si256(_mm256_or_si256(entry[0], entry[1]), _mm256_or_si256(entry[2], entry[3]));
  if (_mm256_testz_si256(any, _mm256_set1_epi32(-1 << 25))) {
    return takeSmallLevels(s, entry, lines, values);
  }
  alignas(32) std::uint32_t levels[32];
  decodeGroup(s, tables, contexts, levels);
  for (int j = 0; j < 4; ++j) {
    addTo(values + 8 * j,
          valuesOf(lines, _mm256_load_si256(reinterpret_cast<const __m256i*>(levels + 8 * j))));
  }
}

/// The same where few symbols are all there are: comparisons in place of look-ups.
[[gnu::always_inline]] inline void decodeFewLevels(Stream& s, const FewSymbols& few,
                                                   const LevelLines& lines,
                                                   float* values) noexcept {
  const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
  __m256i slot[4];
  __m256i entry[4];
  for (int j = 0; j < 4; ++j) {
    slot[j] = _mm256_and_si256(s.state[j], slotMask);
    entry[j] = _mm256_add_epi32(slot[j], _mm256_set1_epi32(static_cast<int>(few.first)));
  }
  for (std::size_t k = 0; k < few.others; ++k) {
    const __m256i before = _mm256_set1_epi32(static_cast<int>(few.starts[k]) - 1);
    const __m256i delta = _mm256_set1_epi32(static_cast<int>(few.deltas[k]));
    for (int j = 0; j < 4; ++j) {
      const __m256i isBehind = _mm256_cmpgt_epi32(slot[j], before);
      entry[j] = _mm256_add_epi32(entry[j], _mm256_and_si256(isBehind, delta));
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

/// For each mask of lanes: those that are in it, in front.
struct PackTable {
  alignas(32) std::array<std::array<std::uint32_t, 8>, 256> lanes{};
  constexpr PackTable() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned packed = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1) != 0) lanes[mask][packed++] = lane;
      }
    }
  }
};
constexpr PackTable kPack;

std::size_t listNonZero8(const std::int32_t* levels, std::size_t count, std::uint32_t* places,
                         std::int32_t* kept) noexcept {
  std::size_t listed = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i level = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels + i));
    const __m256i isZero = _mm256_cmpeq_epi32(level, _mm256_setzero_si256());
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(isZero))) ^ 0xff;
    const __m256i order =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kPack.lanes[mask].data()));
    const __m256i place = _mm256_add_epi32(order, _mm256_set1_epi32(static_cast<int>(i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + listed), place);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(kept + listed),
                        _mm256_permutevar8x32_epi32(level, order));
    listed += static_cast<unsigned>(__builtin_popcount(mask));
  }
  for (; i < count; ++i) {
    places[listed] = static_cast<std::uint32_t>(i);
    kept[listed] = levels[i];
    listed += levels[i] != 0 ? 1 : 0;
  }
  return listed;
}

void rowContexts32(const std::int16_t* columnTerms, int rowTerm, std::size_t count,
                   const std::uint8_t* map, std::uint8_t* out) noexcept {
  const MapOfContexts table(map);
  const __m256i row = _mm256_set1_epi16(static_cast<short>(rowTerm));
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const auto terms = [&](std::size_t at) {
      return _mm256_add_epi16(row, columnTermsAt(columnTerms, at));
    };
    table.store(terms(i), terms(i + 16), out + i);
  }
  rowContexts(columnTerms + i, rowTerm, count - i, map, out + i);
}

}  // namespace
}  // namespace strata::kernels::avx2_loops
