#pragma once

// AVX2 decoders; included by avx2.cpp alone.

#include <immintrin.h>

#include <array>

#include "kernels/cpu/detail/look_up.h"
#include "kernels/cpu/detail/rans_loops.h"

namespace strata::kernels::avx2_loops {
namespace {

/// For each mask of lanes that take a word: which of the next words each lane takes.
struct SpreadTable {
  alignas(32) std::array<std::array<std::uint32_t, 8>, 256> lanes{};
  constexpr SpreadTable() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned taken = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        lanes[mask][lane] = taken;
        taken += mask >> lane & 1;
      }
    }
  }
};
constexpr SpreadTable kSpread;

inline __m256i renormalise(__m256i x, const std::uint16_t*& next) noexcept {
  const __m256i needs = _mm256_cmpeq_epi32(_mm256_srli_epi32(x, 16), _mm256_setzero_si256());
  const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(needs)));
  const __m256i words =
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(next)));
  const __m256i order =
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kSpread.lanes[mask].data()));
  const __m256i spread = _mm256_permutevar8x32_epi32(words, order);
  next += __builtin_popcount(mask);
  return _mm256_blendv_epi8(x, _mm256_or_si256(_mm256_slli_epi32(x, 16), spread), needs);
}

inline __m256i advance(__m256i x, __m256i entry) noexcept {
  const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
  const __m256i frequency = _mm256_add_epi32(
      _mm256_and_si256(_mm256_srli_epi32(entry, kProbabilityBits), slotMask), _mm256_set1_epi32(1));
  return _mm256_add_epi32(_mm256_mullo_epi32(frequency, _mm256_srli_epi32(x, kProbabilityBits)),
                          _mm256_and_si256(entry, slotMask));
}

inline __m256i lowBits(__m256i x, __m256i count) noexcept {
  const __m256i one = _mm256_set1_epi32(1);
  return _mm256_and_si256(x, _mm256_sub_epi32(_mm256_sllv_epi32(one, count), one));
}

/// The lanes' states, and where their words come from.
struct Stream {
  __m256i state[4];
  const std::uint16_t* next;
};

inline Stream load(const RansDecoder& d) noexcept {
  Stream s{.state = {}, .next = d.next};
  for (int j = 0; j < 4; ++j) {
    s.state[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(d.state + 8 * j));
  }
  return s;
}

inline void store(const Stream& s, RansDecoder& d) noexcept {
  for (int j = 0; j < 4; ++j) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(d.state + 8 * j), s.state[j]);
  }
  d.next = s.next;
}

/// 32 differences; `next` has at least 3 * 32 + 8 words before the end.
[[gnu::always_inline]] inline void decodeGroup(Stream& s, const std::uint32_t* tables,
                                               const std::uint8_t* contexts,
                                               std::uint32_t* out) noexcept {
  const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
  const __m256i fusedMost = _mm256_set1_epi32(kFusedRawBits);
  const __m256i one = _mm256_set1_epi32(1);
  __m256i symbol[4];
  __m256i length[4];
  __m256i raw[4];
  __m256i left[4];
  for (int j = 0; j < 4; ++j) {
    const __m256i context =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(contexts + 8 * j)));
    const __m256i index = _mm256_or_si256(_mm256_slli_epi32(context, kProbabilityBits),
                                          _mm256_and_si256(s.state[j], slotMask));
    const __m256i entry = lookUp8<sizeof(std::uint32_t)>(index, tables);
    const __m256i x = advance(s.state[j], entry);
    symbol[j] = _mm256_srli_epi32(entry, 22);
    length[j] = _mm256_max_epi32(_mm256_sub_epi32(_mm256_srli_epi32(symbol[j], 2), one),
                                 _mm256_setzero_si256());
    const __m256i fused = _mm256_min_epi32(length[j], fusedMost);
    raw[j] = lowBits(x, fused);
    left[j] = _mm256_sub_epi32(length[j], fused);
    s.state[j] = renormalise(_mm256_srlv_epi32(x, fused), s.next);
  }
  const __m256i any =
      _mm256_or_si256(_mm256_or_si256(left[0], left[1]), _mm256_or_si256(left[2], left[3]));
  if (!_mm256_testz_si256(any, any)) {
    const __m256i most = _mm256_set1_epi32(16);
    __m256i rest = _mm256_setzero_si256();
    for (int j = 0; j < 4; ++j) {
      const __m256i take = _mm256_min_epi32(left[j], most);
      raw[j] = _mm256_or_si256(raw[j], _mm256_slli_epi32(lowBits(s.state[j], take), kFusedRawBits));
      s.state[j] = renormalise(_mm256_srlv_epi32(s.state[j], take), s.next);
      left[j] = _mm256_sub_epi32(left[j], take);
      rest = _mm256_or_si256(rest, left[j]);
    }
    if (!_mm256_testz_si256(rest, rest)) {
      for (int j = 0; j < 4; ++j) {
        raw[j] = _mm256_or_si256(
            raw[j], _mm256_slli_epi32(lowBits(s.state[j], left[j]), kFusedRawBits + 16));
        s.state[j] = renormalise(_mm256_srlv_epi32(s.state[j], left[j]), s.next);
      }
    }
  }
  for (int j = 0; j < 4; ++j) {
    const __m256i u = _mm256_srli_epi32(symbol[j], 1);
    const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), u);
    const __m256i lead = _mm256_blendv_epi8(
        _mm256_or_si256(_mm256_set1_epi32(2), _mm256_and_si256(u, one)), u, small);
    const __m256i m = _mm256_add_epi32(_mm256_sllv_epi32(lead, length[j]), raw[j]);
    const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(symbol[j], one));
    const __m256i d = _mm256_sub_epi32(_mm256_xor_si256(m, sign), sign);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8 * j), d);
  }
}

constexpr std::ptrdiff_t kSlackWords = 3 * 32 + 8;

void decodeDeltas32(RansDecoder& d, const std::uint32_t* tables, const std::uint8_t* contexts,
                    std::size_t count, std::uint32_t* out) noexcept {
  std::size_t i = 0;
  if (d.lanes == 32 && count >= 32) {
    Stream s = load(d);
    for (; i + 32 <= count && d.end - s.next >= kSlackWords; i += 32) {
      decodeGroup(s, tables, contexts + i, out + i);
    }
    store(s, d);
    // A copy, so that the loop above keeps its stream in registers.
    if (const std::size_t groups = (count - i) / 32; groups != 0) {
      Stream last = s;
      decodeTail<kSlackWords>(d, last.next, groups, [&](std::size_t g) {
        decodeGroup(last, tables, contexts + i + 32 * g, out + i + 32 * g);
      });
      store(last, d);
      i += 32 * groups;
    }
  }
  if (i < count) decodeDeltas(d, tables, contexts + i, count - i, out + i);
}

/// 32 symbols of one table.
[[gnu::always_inline]] inline void decodeSymbolGroup(Stream& s, const std::uint32_t* table,
                                                     std::uint8_t* out) noexcept {
  const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
  __m256i symbol[4];
  for (int j = 0; j < 4; ++j) {
    const __m256i entry =
        lookUp8<sizeof(std::uint32_t)>(_mm256_and_si256(s.state[j], slotMask), table);
    symbol[j] = _mm256_srli_epi32(entry, 22);
    s.state[j] = renormalise(advance(s.state[j], entry), s.next);
  }
  const __m256i low = _mm256_packs_epi32(symbol[0], symbol[1]);
  const __m256i high = _mm256_packs_epi32(symbol[2], symbol[3]);
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                                    _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
}

void decodeSymbols32(RansDecoder& d, const std::uint32_t* table, std::size_t count,
                     std::uint8_t* out) noexcept {
  std::size_t i = 0;
  if (d.lanes == 32 && count >= 32) {
    Stream s = load(d);
    for (; i + 32 <= count && d.end - s.next >= kSlackWords; i += 32) {
      decodeSymbolGroup(s, table, out + i);
    }
    store(s, d);
    if (const std::size_t groups = (count - i) / 32; groups != 0) {
      Stream last = s;
      decodeTail<kSlackWords>(d, last.next, groups, [&](std::size_t g) {
        decodeSymbolGroup(last, table, out + i + 32 * g);
      });
      store(last, d);
      i += 32 * groups;
    }
  }
  if (i < count) decodeSymbols(d, table, count - i, out + i);
}

}  // namespace
}  // namespace strata::kernels::avx2_loops
