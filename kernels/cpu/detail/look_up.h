#pragma once

// Table look-ups of vectors by plain loads, which pass the vector work by, as gathers do not on
// every CPU. Included by the sets for x86 alone (see loops.h).

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// table[4 indices], each entry the first four bytes of `kStride`.
template <std::size_t kStride>
inline __m128i lookUp4(__m128i index, const std::byte* table) noexcept {
  const auto at = [&](std::uint64_t i) {
    std::uint32_t entry;
    std::memcpy(&entry, table + (i & 0xffffffff) * kStride, sizeof entry);
    return static_cast<int>(entry);
  };
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(index));
  const auto high = static_cast<std::uint64_t>(_mm_extract_epi64(index, 1));
  __m128i entries = _mm_cvtsi32_si128(at(low));
  entries = _mm_insert_epi32(entries, at(low >> 32), 1);
  entries = _mm_insert_epi32(entries, at(high), 2);
  return _mm_insert_epi32(entries, at(high >> 32), 3);
}

/// The same for 8.
template <std::size_t kStride>
inline __m256i lookUp8(__m256i index, const void* table) noexcept {
  const auto* bytes = static_cast<const std::byte*>(table);
  const __m128i low = lookUp4<kStride>(_mm256_castsi256_si128(index), bytes);
  const __m128i high = lookUp4<kStride>(_mm256_extracti128_si256(index, 1), bytes);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
