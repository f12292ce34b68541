#include <immintrin.h>

#include <array>

#define STRATA_LOOPS avx2_loops
#include "kernels/cpu/detail/loops.h"
#include "kernels/cpu/detail/rans_loops.h"
#include "kernels/cpu/instruction_sets.h"

namespace strata::kernels {
namespace avx2_loops {
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

struct Vectors {
  __m256i state[4];
};

/// 32 differences; `next` has at least 3 * 32 + 8 words before the end.
inline void decodeGroup(Vectors& v, const std::uint16_t*& next, const std::uint32_t* tables,
                        const std::uint8_t* contexts, std::uint32_t* out) noexcept {
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
                                          _mm256_and_si256(v.state[j], slotMask));
    const __m256i entry =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(tables), index, sizeof(std::uint32_t));
    const __m256i x = advance(v.state[j], entry);
    symbol[j] = _mm256_srli_epi32(entry, 22);
    length[j] = _mm256_max_epi32(_mm256_sub_epi32(_mm256_srli_epi32(symbol[j], 2), one),
                                 _mm256_setzero_si256());
    const __m256i fused = _mm256_min_epi32(length[j], fusedMost);
    raw[j] = lowBits(x, fused);
    left[j] = _mm256_sub_epi32(length[j], fused);
    v.state[j] = renormalise(_mm256_srlv_epi32(x, fused), next);
  }
  const __m256i any =
      _mm256_or_si256(_mm256_or_si256(left[0], left[1]), _mm256_or_si256(left[2], left[3]));
  if (!_mm256_testz_si256(any, any)) {
    const __m256i most = _mm256_set1_epi32(16);
    __m256i rest = _mm256_setzero_si256();
    for (int j = 0; j < 4; ++j) {
      const __m256i take = _mm256_min_epi32(left[j], most);
      raw[j] = _mm256_or_si256(raw[j], _mm256_slli_epi32(lowBits(v.state[j], take), kFusedRawBits));
      v.state[j] = renormalise(_mm256_srlv_epi32(v.state[j], take), next);
      left[j] = _mm256_sub_epi32(left[j], take);
      rest = _mm256_or_si256(rest, left[j]);
    }
    if (!_mm256_testz_si256(rest, rest)) {
      for (int j = 0; j < 4; ++j) {
        raw[j] = _mm256_or_si256(
            raw[j], _mm256_slli_epi32(lowBits(v.state[j], left[j]), kFusedRawBits + 16));
        v.state[j] = renormalise(_mm256_srlv_epi32(v.state[j], left[j]), next);
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
    Vectors v;
    for (int j = 0; j < 4; ++j) {
      v.state[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(d.state + 8 * j));
    }
    const std::uint16_t* next = d.next;
    for (; i + 32 <= count && d.end - next >= kSlackWords; i += 32) {
      decodeGroup(v, next, tables, contexts + i, out + i);
    }
    d.next = next;
    for (int j = 0; j < 4; ++j) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d.state + 8 * j), v.state[j]);
    }
  }
  if (i < count) decodeDeltas(d, tables, contexts + i, count - i, out + i);
}

void decodeSymbols32(RansDecoder& d, const std::uint32_t* table, std::size_t count,
                     std::uint8_t* out) noexcept {
  std::size_t i = 0;
  if (d.lanes == 32 && count >= 32) {
    const __m256i slotMask = _mm256_set1_epi32(static_cast<int>(kProbabilityScale - 1));
    Vectors v;
    for (int j = 0; j < 4; ++j) {
      v.state[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(d.state + 8 * j));
    }
    const std::uint16_t* next = d.next;
    for (; i + 32 <= count && d.end - next >= kSlackWords; i += 32) {
      __m256i symbol[4];
      for (int j = 0; j < 4; ++j) {
        const __m256i entry =
            _mm256_i32gather_epi32(reinterpret_cast<const int*>(table),
                                   _mm256_and_si256(v.state[j], slotMask), sizeof(std::uint32_t));
        symbol[j] = _mm256_srli_epi32(entry, 22);
        v.state[j] = renormalise(advance(v.state[j], entry), next);
      }
      const __m256i low = _mm256_packs_epi32(symbol[0], symbol[1]);
      const __m256i high = _mm256_packs_epi32(symbol[2], symbol[3]);
      const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                                        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), bytes);
    }
    d.next = next;
    for (int j = 0; j < 4; ++j) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d.state + 8 * j), v.state[j]);
    }
  }
  if (i < count) decodeSymbols(d, table, count - i, out + i);
}

}  // namespace
}  // namespace avx2_loops

using namespace avx2_loops;

const CpuKernels& avx2Kernels() noexcept {
  static constexpr CpuKernels kKernels{
      .name = "avx2",
      .decodeDeltas = decodeDeltas32,
      .decodeSymbols = decodeSymbols32,
      .encodeDeltas = encodeDeltas,
      .encodeSymbols = encodeSymbols,
      .classify16 = classify<std::uint16_t>,
      .classify32 = classify<std::uint32_t>,
      .apply16 = apply<std::uint16_t>,
      .apply32 = apply<std::uint32_t>,
      .contexts16 = contexts<std::uint16_t>,
      .contexts32 = contexts<std::uint32_t>,
      .sizes16 = sizes<std::uint16_t>,
      .sizes32 = sizes<std::uint32_t>,
      .decay16 = decay16,
      .decay32 = decay32,
      .accumulate = accumulate,
      .addScaled16 = addScaled16,
      .addScaled32 = addScaled32,
      .splitPlanes = splitPlanes,
      .joinPlanes = joinPlanes,
  };
  return kKernels;
}

}  // namespace strata::kernels
