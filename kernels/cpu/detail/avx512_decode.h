#pragma once

// AVX-512 decoders; included by avx512.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/look_up.h"
#include "kernels/cpu/detail/rans_loops.h"

namespace strata::kernels::avx512_loops {
namespace {

/// table[16 indices], each entry the first four bytes of `kStride`.
template <std::size_t kStride>
inline __m512i lookUp(__m512i index, const void* table) noexcept {
  const auto* bytes = static_cast<const std::byte*>(table);
  const __m128i a = lookUp4<kStride>(_mm512_castsi512_si128(index), bytes);
  const __m128i b = lookUp4<kStride>(_mm512_extracti32x4_epi32(index, 1), bytes);
  const __m128i c = lookUp4<kStride>(_mm512_extracti32x4_epi32(index, 2), bytes);
  const __m128i d = lookUp4<kStride>(_mm512_extracti32x4_epi32(index, 3), bytes);
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

inline __m512i renormalise(__m512i x, const std::uint16_t*& next) noexcept {
  const __mmask16 needs = _mm512_cmplt_epu32_mask(x, _mm512_set1_epi32(kStateLow));
  const __m512i words =
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(next)));
  next += __builtin_popcount(needs);
  return _mm512_mask_or_epi32(x, needs, _mm512_slli_epi32(x, 16),
                              _mm512_maskz_expand_epi32(needs, words));
}

inline __m512i advance(__m512i x, __m512i entry) noexcept {
  const __m512i slotMask = _mm512_set1_epi32(kProbabilityScale - 1);
  const __m512i frequency = _mm512_add_epi32(
      _mm512_and_si512(_mm512_srli_epi32(entry, kProbabilityBits), slotMask), _mm512_set1_epi32(1));
  return _mm512_add_epi32(_mm512_mullo_epi32(frequency, _mm512_srli_epi32(x, kProbabilityBits)),
                          _mm512_and_si512(entry, slotMask));
}

inline __m512i lowBits(__m512i x, __m512i count) noexcept {
  return _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), count), x);
}

/// The lanes' states, and where their words come from.
struct Stream {
  __m512i state[2];
  const std::uint16_t* next;
};

inline bool anyAbove(const __m512i* lengths, __m512i limit) noexcept {
  return _mm512_cmpgt_epi32_mask(_mm512_max_epi32(lengths[0], lengths[1]), limit) != 0;
}

/// The raw bits from bit `done` on: at most 16 of each lane.
inline void takeRaw(Stream& s, __m512i* raw, const __m512i* lengths, unsigned done) noexcept {
  const __m512i from = _mm512_set1_epi32(static_cast<int>(done));
  for (int j = 0; j < 2; ++j) {
    const __m512i left = _mm512_subs_epu16(lengths[j], from);
    const __m512i take = _mm512_min_epi32(left, _mm512_set1_epi32(16));
    raw[j] = _mm512_or_si512(raw[j], _mm512_slli_epi32(lowBits(s.state[j], take), done));
    s.state[j] = renormalise(_mm512_srlv_epi32(s.state[j], take), s.next);
  }
}

/// 32 differences; there are at least 3 * 32 + 16 words before the end.
[[gnu::always_inline]] inline void decodeGroup(Stream& s, const std::uint32_t* tables,
                                               const std::uint8_t* contexts,
                                               std::uint32_t* out) noexcept {
  const __m512i slotMask = _mm512_set1_epi32(kProbabilityScale - 1);
  const __m512i fusedMost = _mm512_set1_epi32(kFusedRawBits);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i zero = _mm512_setzero_si512();
  __m512i symbol[2];
  __m512i length[2];
  __m512i raw[2];
  for (int j = 0; j < 2; ++j) {
    const __m512i context =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(contexts + 16 * j)));
    const __m512i index = _mm512_or_si512(_mm512_slli_epi32(context, kProbabilityBits),
                                          _mm512_and_si512(s.state[j], slotMask));
    const __m512i entry = lookUp<sizeof(std::uint32_t)>(index, tables);
    const __m512i x = advance(s.state[j], entry);
    symbol[j] = _mm512_srli_epi32(entry, 22);
    length[j] = _mm512_subs_epu16(_mm512_srli_epi32(entry, 24), one);
    const __m512i fused = _mm512_min_epi32(length[j], fusedMost);
    raw[j] = lowBits(x, fused);
    s.state[j] = renormalise(_mm512_srlv_epi32(x, fused), s.next);
  }
  if (anyAbove(length, fusedMost)) {
    takeRaw(s, raw, length, kFusedRawBits);
    if (anyAbove(length, _mm512_set1_epi32(kFusedRawBits + 16))) {
      takeRaw(s, raw, length, kFusedRawBits + 16);
    }
  }
  for (int j = 0; j < 2; ++j) {
    const __m512i u = _mm512_srli_epi32(symbol[j], 1);
    const __mmask16 large = _mm512_cmpge_epi32_mask(u, _mm512_set1_epi32(2));
    const __m512i lead =
        _mm512_mask_or_epi32(u, large, _mm512_and_si512(u, one), _mm512_set1_epi32(2));
    const __m512i m = _mm512_add_epi32(_mm512_sllv_epi32(lead, length[j]), raw[j]);
    const __mmask16 negative = _mm512_test_epi32_mask(symbol[j], one);
    _mm512_storeu_si512(out + 16 * j, _mm512_mask_sub_epi32(m, negative, zero, m));
  }
}

constexpr std::ptrdiff_t kSlackWords = 3 * 32 + 16;

inline Stream load(const RansDecoder& d) noexcept {
  return {{_mm512_loadu_si512(d.state), _mm512_loadu_si512(d.state + 16)}, d.next};
}

inline void store(const Stream& s, RansDecoder& d) noexcept {
  _mm512_storeu_si512(d.state, s.state[0]);
  _mm512_storeu_si512(d.state + 16, s.state[1]);
  d.next = s.next;
}

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

void decodeSymbols32(RansDecoder& d, const std::uint32_t* table, std::size_t count,
                     std::uint8_t* out) noexcept {
  std::size_t i = 0;
  if (d.lanes == 32 && count >= 32) {
    const __m512i slotMask = _mm512_set1_epi32(kProbabilityScale - 1);
    Stream s = load(d);
    const auto decode = [&](Stream& stream, std::uint8_t* to) {
      for (int j = 0; j < 2; ++j) {
        const __m512i entry =
            lookUp<sizeof(std::uint32_t)>(_mm512_and_si512(stream.state[j], slotMask), table);
        stream.state[j] = renormalise(advance(stream.state[j], entry), stream.next);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * j),
                         _mm512_cvtepi32_epi8(_mm512_srli_epi32(entry, 22)));
      }
    };
    for (; i + 32 <= count && d.end - s.next >= kSlackWords; i += 32) decode(s, out + i);
    store(s, d);
    if (const std::size_t groups = (count - i) / 32; groups != 0) {
      Stream last = s;
      decodeTail<kSlackWords>(d, last.next, groups,
                              [&](std::size_t g) { decode(last, out + i + 32 * g); });
      store(last, d);
      i += 32 * groups;
    }
  }
  if (i < count) decodeSymbols(d, table, count - i, out + i);
}

}  // namespace
}  // namespace strata::kernels::avx512_loops
