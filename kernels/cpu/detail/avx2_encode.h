#pragma once

// AVX2 encoders; included by avx2.cpp alone.

#include <immintrin.h>

#include <array>

#include "kernels/cpu/detail/avx2_decode.h"

namespace strata::kernels::avx2_loops {
namespace {

/// For each mask of lanes that give a word: those lanes, in order, in the last places.
struct GatherTable {
  alignas(32) std::array<std::array<std::uint32_t, 8>, 256> lanes{};
  constexpr GatherTable() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned place = 8;
      for (unsigned lane = 8; lane-- > 0;) {
        if ((mask >> lane & 1) != 0) lanes[mask][--place] = lane;
      }
    }
  }
};
constexpr GatherTable kGather;

/// Writes the low words of the lanes in `full` below `words`; those lanes lose them.
inline __m256i emit(__m256i x, __m256i full, std::uint16_t*& words) noexcept {
  const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(full)));
  const __m256i order =
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kGather.lanes[mask].data()));
  const __m256i low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
  const __m256i gathered = _mm256_permutevar8x32_epi32(low, order);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(gathered, gathered), 0b1000);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(words - 8), _mm256_castsi256_si128(packed));
  words -= __builtin_popcount(mask);
  return _mm256_blendv_epi8(x, _mm256_srli_epi32(x, 16), full);
}

/// Raw bits [from, from + 16) of the lanes that have them.
inline __m256i pushRawBits(__m256i x, __m256i raw, __m256i length, int from,
                           std::uint16_t*& words) noexcept {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i bits =
      _mm256_min_epi32(_mm256_max_epi32(_mm256_sub_epi32(length, _mm256_set1_epi32(from)), zero),
                       _mm256_set1_epi32(16));
  const __m256i over = _mm256_srlv_epi32(x, _mm256_sub_epi32(_mm256_set1_epi32(32), bits));
  const __m256i full = _mm256_cmpgt_epi32(over, zero);
  const __m256i value = lowBits(_mm256_srli_epi32(raw, from), bits);
  return _mm256_or_si256(_mm256_sllv_epi32(emit(x, full, words), bits), value);
}

/// x / frequency and its remainder, from a float quotient that is off by one at most.
inline __m256i pushQuotient(__m256i x, __m256i frequency, __m256i start,
                            __m256 reciprocal) noexcept {
  const __m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(x, 16));
  const __m256 low = _mm256_cvtepi32_ps(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)));
  const __m256 value = _mm256_add_ps(_mm256_mul_ps(high, _mm256_set1_ps(65536.0F)), low);
  __m256i q = _mm256_cvttps_epi32(_mm256_mul_ps(value, reciprocal));
  __m256i r = _mm256_sub_epi32(x, _mm256_mullo_epi32(q, frequency));
  const __m256i below = _mm256_srai_epi32(r, 31);
  q = _mm256_add_epi32(q, below);
  r = _mm256_add_epi32(r, _mm256_and_si256(below, frequency));
  const __m256i above = _mm256_cmpgt_epi32(frequency, r);
  const __m256i one = _mm256_andnot_si256(above, _mm256_set1_epi32(-1));
  q = _mm256_sub_epi32(q, one);
  r = _mm256_sub_epi32(r, _mm256_and_si256(one, frequency));
  return _mm256_add_epi32(_mm256_slli_epi32(q, kProbabilityBits), _mm256_add_epi32(r, start));
}

struct EntryVectors {
  __m256i frequency;
  __m256i start;
  __m256 reciprocal;
};

/// Four entries: their frequencies and starts, then their reciprocals.
struct EntryQuarters {
  __m128 packed;
  __m128 reciprocal;
};

inline EntryQuarters entriesAt(const RansEncoderEntry* entries, __m128i index) noexcept {
  static_assert(sizeof(RansEncoderEntry) == sizeof(double));
  const auto at = [&](std::uint64_t i) {
    return reinterpret_cast<const double*>(entries + (i & 0xffffffff));
  };
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(index));
  const auto high = static_cast<std::uint64_t>(_mm_extract_epi64(index, 1));
  const __m128 a = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd(at(low)), at(low >> 32)));
  const __m128 b = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd(at(high)), at(high >> 32)));
  return {_mm_shuffle_ps(a, b, 0b10001000), _mm_shuffle_ps(a, b, 0b11011101)};
}

/// By plain loads, as in lookUp4().
inline EntryVectors entriesAt(const RansEncoderEntry* entries, __m256i index) noexcept {
  const EntryQuarters low = entriesAt(entries, _mm256_castsi256_si128(index));
  const EntryQuarters high = entriesAt(entries, _mm256_extracti128_si256(index, 1));
  const __m256i packed = _mm256_castps_si256(_mm256_set_m128(high.packed, low.packed));
  return {_mm256_and_si256(packed, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(packed, 16),
          _mm256_set_m128(high.reciprocal, low.reciprocal)};
}

inline __m256i pushSymbols(__m256i x, const EntryVectors& entry, __m256i raw, __m256i fused,
                           std::uint16_t*& words) noexcept {
  const __m256i shift = _mm256_sub_epi32(_mm256_set1_epi32(32 - kProbabilityBits), fused);
  const __m256i fits = _mm256_cmpgt_epi32(entry.frequency, _mm256_srlv_epi32(x, shift));
  const __m256i full = _mm256_andnot_si256(fits, _mm256_set1_epi32(-1));
  x = emit(x, full, words);
  x = _mm256_or_si256(_mm256_sllv_epi32(x, fused), raw);
  return pushQuotient(x, entry.frequency, entry.start, entry.reciprocal);
}

inline __m256i widen(const std::uint8_t* bytes) noexcept {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
}

/// The lanes' states.
struct Vectors {
  __m256i state[4];
};

/// 32 differences, last first.
[[gnu::always_inline]] inline void encodeGroup(Vectors& v, const RansEncoderEntry* entries,
                                               std::size_t alphabet, const std::uint8_t* contexts,
                                               const std::uint8_t* symbols,
                                               const std::uint32_t* raws, std::uint16_t*& words,
                                               __m256i& leastFrequency) noexcept {
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i fusedMost = _mm256_set1_epi32(kFusedRawBits);
  __m256i symbol[4];
  __m256i length[4];
  __m256i raw[4];
  __m256i longest = _mm256_setzero_si256();
  for (int j = 0; j < 4; ++j) {
    symbol[j] = widen(symbols + 8 * j);
    length[j] = _mm256_max_epi32(_mm256_sub_epi32(_mm256_srli_epi32(symbol[j], 2), one),
                                 _mm256_setzero_si256());
    raw[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(raws + 8 * j));
    longest = _mm256_max_epi32(longest, length[j]);
  }
  const __m256i beyond = _mm256_cmpgt_epi32(longest, fusedMost);
  if (!_mm256_testz_si256(beyond, beyond)) {
    const __m256i far = _mm256_cmpgt_epi32(longest, _mm256_set1_epi32(kFusedRawBits + 16));
    if (!_mm256_testz_si256(far, far)) {
      for (int j = 3; j >= 0; --j) {
        v.state[j] = pushRawBits(v.state[j], raw[j], length[j], kFusedRawBits + 16, words);
      }
    }
    for (int j = 3; j >= 0; --j) {
      v.state[j] = pushRawBits(v.state[j], raw[j], length[j], kFusedRawBits, words);
    }
  }
  const __m256i stride = _mm256_set1_epi32(static_cast<int>(alphabet));
  for (int j = 3; j >= 0; --j) {
    const __m256i fused = _mm256_min_epi32(length[j], fusedMost);
    const __m256i index =
        _mm256_add_epi32(_mm256_mullo_epi32(widen(contexts + 8 * j), stride), symbol[j]);
    const EntryVectors entry = entriesAt(entries, index);
    leastFrequency = _mm256_min_epi32(leastFrequency, entry.frequency);
    v.state[j] = pushSymbols(v.state[j], entry, lowBits(raw[j], fused), fused, words);
  }
}

inline Vectors loadStates(const std::uint32_t* states) noexcept {
  Vectors v;
  for (int j = 0; j < 4; ++j) {
    v.state[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states + 8 * j));
  }
  return v;
}

inline void storeStates(const Vectors& v, std::uint32_t* states) noexcept {
  for (int j = 0; j < 4; ++j) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(states + 8 * j), v.state[j]);
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
  __m256i leastFrequency = _mm256_set1_epi32(INT32_MAX);
  Vectors v = loadStates(states);
  for (std::size_t at = whole; at > 0;) {
    at -= 32;
    encodeGroup(v, entries, alphabet, contexts + at, codes.symbols + at, codes.raw + at, words,
                leastFrequency);
  }
  const __m256i missing = _mm256_cmpeq_epi32(leastFrequency, _mm256_setzero_si256());
  if (!_mm256_testz_si256(missing, missing)) return nullptr;
  storeStates(v, states);
  return words;
}

std::uint16_t* encodeSymbols32(const RansEncoderEntry* entries, const std::uint8_t* symbols,
                               std::size_t count, unsigned lanes, std::uint32_t* states,
                               std::uint16_t* words) noexcept {
  if (lanes != 32) return encodeSymbols(entries, symbols, count, lanes, states, words);
  const std::size_t whole = count / 32 * 32;
  words = encodeSymbols(entries, symbols + whole, count - whole, 32, states, words);
  const __m256i zero = _mm256_setzero_si256();
  Vectors v = loadStates(states);
  for (std::size_t at = whole; at > 0;) {
    at -= 32;
    for (int j = 3; j >= 0; --j) {
      const EntryVectors entry = entriesAt(entries, widen(symbols + at + 8 * j));
      v.state[j] = pushSymbols(v.state[j], entry, zero, zero, words);
    }
  }
  storeStates(v, states);
  return words;
}

}  // namespace
}  // namespace strata::kernels::avx2_loops
