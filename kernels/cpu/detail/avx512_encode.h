#pragma once

// AVX-512 encoders; included by avx512.cpp alone.

#include <immintrin.h>

#include "kernels/cpu/detail/avx512_decode.h"

namespace strata::kernels::avx512_loops {
namespace {

/// The `count` lowest lanes, moved to the top: lane i comes from lane (i + count) mod 16.
struct RotateTable {
  alignas(64) std::uint32_t lanes[17][16];
  constexpr RotateTable() : lanes() {
    for (unsigned count = 0; count <= 16; ++count) {
      for (unsigned lane = 0; lane < 16; ++lane) lanes[count][lane] = (lane + count) % 16;
    }
  }
};
constexpr RotateTable kRotate;

/// Writes the low words of the lanes in `full` below `words`; those lanes lose them.
inline __m512i emit(__m512i x, __mmask16 full, std::uint16_t*& words) noexcept {
  const auto count = static_cast<unsigned>(__builtin_popcount(full));
  const __m512i packed = _mm512_maskz_compress_epi32(full, x);
  const __m512i last = _mm512_permutexvar_epi32(_mm512_load_si512(kRotate.lanes[count]), packed);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words - 16), _mm512_cvtepi32_epi16(last));
  words -= count;
  return _mm512_mask_srli_epi32(x, full, x, 16);
}

/// Raw bits [from, from + 16) of the lanes that have them.
inline __m512i pushRawBits(__m512i x, __m512i raw, __m512i length, unsigned from,
                           std::uint16_t*& words) noexcept {
  const __m512i left = _mm512_subs_epu16(length, _mm512_set1_epi32(static_cast<int>(from)));
  const __m512i bits = _mm512_min_epi32(left, _mm512_set1_epi32(16));
  const __m512i over = _mm512_srlv_epi32(x, _mm512_sub_epi32(_mm512_set1_epi32(32), bits));
  const __m512i value = lowBits(_mm512_srli_epi32(raw, from), bits);
  x = emit(x, _mm512_test_epi32_mask(over, over), words);
  return _mm512_or_si512(_mm512_sllv_epi32(x, bits), value);
}

/// One step of the coder. `entry` holds frequencies below starts.
inline __m512i pushSymbols(__m512i x, __m512i entry, __m512i raw, __m512i fused,
                           std::uint16_t*& words) noexcept {
  constexpr int kTowardsZero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
  const __m512i frequency = _mm512_and_si512(entry, _mm512_set1_epi32(0xffff));
  const __m512i start = _mm512_srli_epi32(entry, 16);
  const __m512i shift = _mm512_sub_epi32(_mm512_set1_epi32(32 - kProbabilityBits), fused);
  x = emit(x, _mm512_cmpge_epu32_mask(_mm512_srlv_epi32(x, shift), frequency), words);
  x = _mm512_or_si512(_mm512_sllv_epi32(x, fused), raw);
  // The quotient is below 2^21 and all is rounded down, so it is right or one too small.
  const __m512 ratio = _mm512_div_round_ps(_mm512_cvt_roundepu32_ps(x, kTowardsZero),
                                           _mm512_cvtepi32_ps(frequency), kTowardsZero);
  const __m512i quotient = _mm512_cvttps_epi32(ratio);
  const __m512i rest = _mm512_sub_epi32(x, _mm512_mullo_epi32(quotient, frequency));
  const __m512i next = _mm512_add_epi32(
      _mm512_add_epi32(_mm512_slli_epi32(quotient, kProbabilityBits), rest), start);
  const __m512i step = _mm512_sub_epi32(_mm512_set1_epi32(kProbabilityScale), frequency);
  return _mm512_mask_add_epi32(next, _mm512_cmpge_epu32_mask(rest, frequency), next, step);
}

inline __m512i widen(const std::uint8_t* bytes) noexcept {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

inline __m512i gatherEntries(const RansEncoderEntry* entries, __m512i index) noexcept {
  return lookUp<sizeof(RansEncoderEntry)>(index, entries);
}

/// 32 differences, last first.
[[gnu::always_inline]] inline void encodeGroup(__m512i* state, const RansEncoderEntry* entries,
                                               __m512i alphabet, const std::uint8_t* contexts,
                                               const std::uint8_t* symbols,
                                               const std::uint32_t* raws, std::uint16_t*& words,
                                               __m512i& leastFrequency) noexcept {
  const __m512i fusedMost = _mm512_set1_epi32(kFusedRawBits);
  __m512i symbol[2];
  __m512i length[2];
  __m512i raw[2];
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j) {
    symbol[j] = widen(symbols + 16 * j);
    length[j] = _mm512_subs_epu16(_mm512_srli_epi32(symbol[j], 2), _mm512_set1_epi32(1));
    raw[j] = _mm512_loadu_si512(raws + 16 * j);
  }
  if (anyAbove(length, fusedMost)) {
    if (anyAbove(length, _mm512_set1_epi32(kFusedRawBits + 16))) {
#pragma GCC unroll 2
      for (int j = 1; j >= 0; --j) {
        state[j] = pushRawBits(state[j], raw[j], length[j], kFusedRawBits + 16, words);
      }
    }
#pragma GCC unroll 2
    for (int j = 1; j >= 0; --j) {
      state[j] = pushRawBits(state[j], raw[j], length[j], kFusedRawBits, words);
    }
  }
#pragma GCC unroll 2
  for (int j = 1; j >= 0; --j) {
    const __m512i fused = _mm512_min_epi32(length[j], fusedMost);
    const __m512i index =
        _mm512_add_epi32(_mm512_mullo_epi32(widen(contexts + 16 * j), alphabet), symbol[j]);
    const __m512i entry = gatherEntries(entries, index);
    leastFrequency = _mm512_min_epu16(leastFrequency, entry);
    state[j] = pushSymbols(state[j], entry, lowBits(raw[j], fused), fused, words);
  }
}

std::uint16_t* encodeDeltas32(const RansEncoderEntry* entries, std::size_t alphabet,
                              const std::uint8_t* contexts, DeltaCodes codes, std::size_t count,
                              unsigned lanes, std::uint32_t* states,
                              std::uint16_t* words) noexcept {
  if (lanes != 32)
    return encodeDeltas(entries, alphabet, contexts, codes, count, lanes, states, words);
  const std::size_t whole = count / 32 * 32;
  words =
      encodeDeltas(entries, alphabet, contexts + whole, {codes.symbols + whole, codes.raw + whole},
                   count - whole, 32, states, words);
  if (words == nullptr) return nullptr;
  __m512i leastFrequency = _mm512_set1_epi32(-1);
  const __m512i stride = _mm512_set1_epi32(static_cast<int>(alphabet));
  __m512i state[2] = {_mm512_loadu_si512(states), _mm512_loadu_si512(states + 16)};
  for (std::size_t at = whole; at > 0;) {
    at -= 32;
    encodeGroup(state, entries, stride, contexts + at, codes.symbols + at, codes.raw + at, words,
                leastFrequency);
  }
  if (_mm512_testn_epi32_mask(leastFrequency, _mm512_set1_epi32(0xffff)) != 0) return nullptr;
  _mm512_storeu_si512(states, state[0]);
  _mm512_storeu_si512(states + 16, state[1]);
  return words;
}

std::uint16_t* encodeSymbols32(const RansEncoderEntry* entries, const std::uint8_t* symbols,
                               std::size_t count, unsigned lanes, std::uint32_t* states,
                               std::uint16_t* words) noexcept {
  if (lanes != 32) return encodeSymbols(entries, symbols, count, lanes, states, words);
  const std::size_t whole = count / 32 * 32;
  words = encodeSymbols(entries, symbols + whole, count - whole, 32, states, words);
  const __m512i zero = _mm512_setzero_si512();
  __m512i state[2] = {_mm512_loadu_si512(states), _mm512_loadu_si512(states + 16)};
  for (std::size_t at = whole; at > 0;) {
    at -= 32;
#pragma GCC unroll 2
    for (int j = 1; j >= 0; --j) {
      const __m512i entry = gatherEntries(entries, widen(symbols + at + 16 * j));
      state[j] = pushSymbols(state[j], entry, zero, zero, words);
    }
  }
  _mm512_storeu_si512(states, state[0]);
  _mm512_storeu_si512(states + 16, state[1]);
  return words;
}

}  // namespace
}  // namespace strata::kernels::avx512_loops
