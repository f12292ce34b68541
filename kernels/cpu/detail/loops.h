#pragma once

// The plain loops, compiled once per instruction set: each including file sets STRATA_LOOPS to a
// namespace of its own, so that no code for a newer CPU leaks into the others.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/detail/halves.h"
#include "kernels/cpu_kernels.h"
#include "kernels/word_math.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// Bits needed for m. The conversion of the upper half cannot round up, because the bit below its
/// top is cleared, and cannot turn negative.
inline std::uint32_t bitLength(std::uint32_t m) noexcept {
  const std::uint32_t half = m >> 1;
  const auto f = static_cast<float>(static_cast<std::int32_t>(half & ~(half >> 1)));
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(f) >> 23 & 255;
  return (exponent < 126 ? 0 : exponent - 126) + (m != 0 ? 1 : 0);
}

/// Symbols and raw bits of magnitudes whose sign bits are given.
template <bool kRaw>
inline void classifyMagnitudes(const std::uint32_t* magnitudes, const std::uint32_t* signs,
                               std::size_t count, std::uint32_t* symbols,
                               std::uint32_t* raw) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t m = magnitudes[i];
    const std::uint32_t length = bitLength(m);
    const std::uint32_t k = length < 2 ? 0 : length - 2;
    if constexpr (kRaw) raw[i] = m & ((1U << k) - 1);
    symbols[i] = 2 * ((m >> k) + 2 * k) + signs[i];
  }
}

template <typename Word, bool kFloat, bool kXor>
void classifyLoop(const Word* parent, const Word* words, std::size_t count,
                  DeltaCodes out) noexcept {
  constexpr std::size_t kPiece = 256;
  std::uint32_t magnitudes[kPiece];
  std::uint32_t signs[kPiece];
  std::uint32_t symbols[kPiece];
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    for (std::size_t i = 0; i < n; ++i) {
      const Word d = kXor ? static_cast<Word>(parent[start + i] ^ words[start + i])
                          : difference(parent[start + i], words[start + i], kFloat);
      const Word sign = kXor ? Word{0} : signMask(d);
      magnitudes[i] = static_cast<Word>((d ^ sign) - sign);
      signs[i] = sign & 1;
    }
    if (out.raw == nullptr) {
      classifyMagnitudes<false>(magnitudes, signs, n, symbols, nullptr);
    } else {
      classifyMagnitudes<true>(magnitudes, signs, n, symbols, out.raw + start);
    }
    for (std::size_t i = 0; i < n; ++i) {
      out.symbols[start + i] = static_cast<std::uint8_t>(symbols[i]);
    }
  }
}

template <typename Word>
void classify(const Word* parent, const Word* words, std::size_t count, DeltaFormat format,
              DeltaCodes out) noexcept {
  if (format.isXor) return classifyLoop<Word, false, true>(parent, words, count, out);
  if (format.isFloat) return classifyLoop<Word, true, false>(parent, words, count, out);
  classifyLoop<Word, false, false>(parent, words, count, out);
}

template <typename Word>
void apply(const Word* parent, const std::uint32_t* deltas, std::size_t count, DeltaFormat format,
           Word* out) noexcept {
  if (format.isXor) {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Word>(parent[i] ^ deltas[i]);
  } else if (format.isFloat) {
    for (std::size_t i = 0; i < count; ++i)
      out[i] = moved(parent[i], static_cast<Word>(deltas[i]), true);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Word>(parent[i] + deltas[i]);
  }
}

template <typename Word>
void contexts(const Word* parent, const std::int16_t* columnTerms, int rowTerm, std::size_t count,
              DeltaFormat format, const std::uint8_t* map, std::uint8_t* out) noexcept {
  const int perExponent = format.isFloat ? 2 : 0;
  const unsigned mantissaBits = format.isFloat ? format.mantissaBits : 0;
  constexpr std::size_t kPiece = 256;
  std::int32_t terms[kPiece];
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    for (std::size_t i = 0; i < n; ++i) {
      terms[i] = rowTerm - perExponent * exponentOf(parent[start + i], mantissaBits);
    }
    if (columnTerms != nullptr) {
      for (std::size_t i = 0; i < n; ++i) terms[i] += columnTerms[start + i];
    }
    for (std::size_t i = 0; i < n; ++i) terms[i] = std::clamp(terms[i], 1, 63);
    for (std::size_t i = 0; i < n; ++i) out[start + i] = map[terms[i]];
  }
}

template <typename Word>
inline float sizeOf(Word parent, Word word, DeltaFormat format) noexcept {
  Word d =
      format.isXor ? static_cast<Word>(parent ^ word) : difference(parent, word, format.isFloat);
  const Word sign = signMask(d);
  if (!format.isXor) d = static_cast<Word>((d ^ sign) - sign);
  const auto magnitude = static_cast<std::uint32_t>(d);
  float value = static_cast<float>(static_cast<std::int32_t>(magnitude));
  if constexpr (sizeof(Word) == 4) {
    value = static_cast<float>(static_cast<std::int32_t>(magnitude >> 1)) * 2.0F +
            static_cast<float>(static_cast<std::int32_t>(magnitude & 1));
  }
  if (!format.isFloat) return value;
  const std::int32_t exponent = std::min(exponentOf(parent, format.mantissaBits), 200);
  return value * std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << 23);
}

/// Partial sums that grow side by side.
using Partial8 [[gnu::vector_size(8 * sizeof(float))]] = float;
using Partial16 [[gnu::vector_size(16 * sizeof(float))]] = float;

template <typename Lanes>
inline void loadLanes(const float* from, Lanes& lanes) noexcept {
  std::memcpy(&lanes, from, sizeof lanes);
}

/// Inlined with formats whose kind is known, so that the loop has no branches.
template <typename Word>
[[gnu::always_inline]] inline float sizesOf(const Word* parent, const Word* words,
                                            std::size_t count, DeltaFormat format,
                                            float columnWeight, float* columnSums) noexcept {
  constexpr std::size_t kPiece = 256;
  float size[kPiece];
  Partial8 sums{};
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    for (std::size_t i = 0; i < n; ++i)
      size[i] = sizeOf(parent[start + i], words[start + i], format);
    std::size_t i = 0;
    for (Partial8 more; i + 8 <= n; i += 8) {
      loadLanes(size + i, more);
      sums += more;
    }
    for (std::size_t j = 0; i + j < n; ++j) sums[j] += size[i + j];
    if (columnSums != nullptr) {
      for (std::size_t c = 0; c < n; ++c) columnSums[start + c] += size[c] * columnWeight;
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <typename Word>
float sizes(const Word* parent, const Word* words, std::size_t count, DeltaFormat format,
            float columnWeight, float* columnSums) noexcept {
  if (format.isFloat && !format.isXor) {
    const DeltaFormat plain{format.mantissaBits, true, false};
    return sizesOf(parent, words, count, plain, columnWeight, columnSums);
  }
  return sizesOf(parent, words, count, format, columnWeight, columnSums);
}

void widen16(const std::uint16_t* words, FloatKind kind, std::size_t count, float* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) out[i] = floatOfBfloat(words[i]);
    return;
  }
  widenHalves(words, count, out);
}

void narrow16(const float* values, FloatKind kind, std::size_t count, std::uint16_t* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) out[i] = bfloatOfFloat(values[i]);
    return;
  }
  narrowHalves(values, count, out);
}

void decay32(const std::uint32_t* parent, float factor, std::size_t count,
             std::uint32_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = mapped32(parent[i], [&](float value) { return value * factor; });
  }
}

void decay16(const std::uint16_t* parent, float factor, FloatKind kind, std::size_t count,
             std::uint16_t* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = mappedBfloat(parent[i], [&](float value) { return value * factor; });
    }
    return;
  }
  mapHalves(parent, count, out, [&](float* values, std::size_t, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] *= factor;
  });
}

void accumulate(const std::int16_t* column, std::int32_t factor, std::size_t count,
                std::int32_t* sums) noexcept {
  for (std::size_t i = 0; i < count; ++i) sums[i] += factor * column[i];
}

void addScaled32(const std::uint32_t* parent, const std::int32_t* sums, float scale,
                 std::size_t count, std::uint32_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = mapped32(parent[i], [&](float value) { return value + scaledSum(sums[i], scale); });
  }
}

void addScaled16(const std::uint16_t* parent, const std::int32_t* sums, float scale, FloatKind kind,
                 std::size_t count, std::uint16_t* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] =
          mappedBfloat(parent[i], [&](float value) { return value + scaledSum(sums[i], scale); });
    }
    return;
  }
  mapHalves(parent, count, out, [&](float* values, std::size_t start, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] += scaledSum(sums[start + i], scale);
  });
}

void accumulateWide(const std::int32_t* column, std::int32_t factor, std::size_t count,
                    std::int64_t* sums) noexcept {
  for (std::size_t i = 0; i < count; ++i) sums[i] += std::int64_t{factor} * column[i];
}

void addWide32(const std::uint32_t* parent, const std::int64_t* sums, double scale,
               std::size_t count, std::uint32_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = mapped32(parent[i], [&](float value) { return withWideSum(value, sums[i], scale); });
  }
}

void addWide16(const std::uint16_t* parent, const std::int64_t* sums, double scale, FloatKind kind,
               std::size_t count, std::uint16_t* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] =
          mappedBfloat(parent[i], [&](float value) { return withWideSum(value, sums[i], scale); });
    }
    return;
  }
  mapHalves(parent, count, out, [&](float* values, std::size_t start, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = withWideSum(values[i], sums[start + i], scale);
  });
}

template <typename Word>
std::size_t countChanged(const Word* parent, const Word* words, std::size_t count) noexcept {
  std::uint32_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) changed += parent[i] != words[i] ? 1 : 0;
  return changed;
}

/// One by one and in double precision, where a sum of many is not finite.
Squares finiteSquares(const float* parent, const float* words, std::size_t count) noexcept {
  Squares sums{};
  for (std::size_t i = 0; i < count; ++i) {
    const double p = parent[i];
    const double d = words[i] - p;
    if (std::isfinite(d)) sums.difference += d * d;
    if (std::isfinite(p)) sums.parent += p * p;
  }
  return sums;
}

Squares squares(const float* parent, const float* words, std::size_t count) noexcept {
  constexpr std::size_t kLanes = 16;
  Partial16 difference{};
  Partial16 own{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Partial16 p;
    Partial16 d;
    loadLanes(parent + i, p);
    loadLanes(words + i, d);
    d -= p;
    difference += d * d;
    own += p * p;
  }
  for (std::size_t j = 0; i + j < count; ++j) {
    const float d = words[i + j] - parent[i + j];
    difference[j] += d * d;
    own[j] += parent[i + j] * parent[i + j];
  }
  Squares sums{};
  for (std::size_t j = 0; j < kLanes; ++j) {
    sums.difference += static_cast<double>(difference[j]);
    sums.parent += static_cast<double>(own[j]);
  }
  const bool isFinite = std::isfinite(sums.difference) && std::isfinite(sums.parent);
  return isFinite ? sums : finiteSquares(parent, words, count);
}

void addValues32(const std::uint32_t* parent, const float* values, std::size_t count,
                 std::uint32_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = mapped32(parent[i], [&](float value) { return value + values[i]; });
  }
}

void addValues16(const std::uint16_t* parent, const float* values, FloatKind kind,
                 std::size_t count, std::uint16_t* out) noexcept {
  if (kind == FloatKind::BF16) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = mappedBfloat(parent[i], [&](float value) { return value + values[i]; });
    }
    return;
  }
  mapHalves(parent, count, out, [&](float* own, std::size_t start, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) own[i] += values[start + i];
  });
}

void nearestLevels(const float* values, std::size_t count, const float* edges,
                   std::size_t edgeCount, std::uint8_t* out) noexcept {
  constexpr std::size_t kPiece = 256;
  std::int32_t below[kPiece];
  for (std::size_t start = 0; start < count; start += kPiece) {
    const std::size_t n = std::min(kPiece, count - start);
    for (std::size_t i = 0; i < n; ++i) below[i] = 0;
    for (std::size_t e = 0; e < edgeCount; ++e) {
      const float edge = edges[e];
      for (std::size_t i = 0; i < n; ++i) below[i] += values[start + i] > edge ? 1 : 0;
    }
    for (std::size_t i = 0; i < n; ++i) out[start + i] = static_cast<std::uint8_t>(below[i]);
  }
}

template <typename Word>
void splitWords(const Word* words, std::size_t count, bool rotate,
                std::uint8_t* const* planes) noexcept {
  for (std::size_t p = 0; p < sizeof(Word); ++p) {
    std::uint8_t* plane = planes[p];
    for (std::size_t i = 0; i < count; ++i) {
      const Word w =
          rotate ? static_cast<Word>(words[i] << 1 | words[i] >> kTopBit<Word>) : words[i];
      plane[i] = static_cast<std::uint8_t>(w >> (8 * p));
    }
  }
}

template <typename Word>
void joinWords(const std::uint8_t* const* planes, std::size_t count, bool rotate,
               Word* words) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    Word w = 0;
    for (std::size_t p = 0; p < sizeof(Word); ++p) {
      w = static_cast<Word>(w | static_cast<Word>(planes[p][i]) << (8 * p));
    }
    words[i] = rotate ? static_cast<Word>(w >> 1 | w << kTopBit<Word>) : w;
  }
}

void splitPlanes(const std::byte* words, std::size_t wordBytes, std::size_t count, bool rotate,
                 std::uint8_t* const* planes) noexcept {
  switch (wordBytes) {
    case 1:
      return splitWords(reinterpret_cast<const std::uint8_t*>(words), count, rotate, planes);
    case 2:
      return splitWords(reinterpret_cast<const std::uint16_t*>(words), count, rotate, planes);
    case 4:
      return splitWords(reinterpret_cast<const std::uint32_t*>(words), count, rotate, planes);
    default:
      return splitWords(reinterpret_cast<const std::uint64_t*>(words), count, rotate, planes);
  }
}

void joinPlanes(const std::uint8_t* const* planes, std::size_t wordBytes, std::size_t count,
                bool rotate, std::byte* words) noexcept {
  switch (wordBytes) {
    case 1:
      return joinWords(planes, count, rotate, reinterpret_cast<std::uint8_t*>(words));
    case 2:
      return joinWords(planes, count, rotate, reinterpret_cast<std::uint16_t*>(words));
    case 4:
      return joinWords(planes, count, rotate, reinterpret_cast<std::uint32_t*>(words));
    default:
      return joinWords(planes, count, rotate, reinterpret_cast<std::uint64_t*>(words));
  }
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
