#pragma once

// The entropy coder's plain loops, compiled once per instruction set (see loops.h).

#include <algorithm>
#include <cstring>

#include "kernels/cpu_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

inline std::uint32_t nextWord(RansDecoder& d) noexcept {
  if (d.next >= d.end) {
    d.next = d.end + 1;
    return 0;
  }
  std::uint16_t word;
  std::memcpy(&word, d.next, sizeof word);
  ++d.next;
  return word;
}

inline std::uint32_t renormalised(RansDecoder& d, std::uint32_t x) noexcept {
  return x < kStateLow ? x << 16 | nextWord(d) : x;
}

inline std::uint32_t advanced(std::uint32_t x, std::uint32_t entry) noexcept {
  const std::uint32_t frequency = (entry >> kProbabilityBits & (kProbabilityScale - 1)) + 1;
  return frequency * (x >> kProbabilityBits) + (entry & (kProbabilityScale - 1));
}

/// One group of at most `lanes` differences.
inline void decodeDeltaGroup(RansDecoder& d, const std::uint32_t* tables,
                             const std::uint8_t* contexts, std::size_t n,
                             std::uint32_t* out) noexcept {
  std::uint32_t bucket[kMaxLanes];
  std::uint32_t left[kMaxLanes];
  std::uint32_t anyLeft = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t x = d.state[i];
    const std::uint32_t entry =
        tables[contexts[i] * kProbabilityScale + (x & (kProbabilityScale - 1))];
    x = advanced(x, entry);
    const std::uint32_t symbol = entry >> 22;
    const std::uint32_t k = symbol < 8 ? 0 : (symbol >> 2) - 1;
    const std::uint32_t fused = std::min<std::uint32_t>(k, kFusedRawBits);
    out[i] = x & ((1U << fused) - 1);
    d.state[i] = renormalised(d, x >> fused);
    bucket[i] = symbol;
    left[i] = k - fused;
    anyLeft |= left[i];
  }
  for (unsigned done = kFusedRawBits; anyLeft != 0; done += 16) {
    anyLeft = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t take = std::min<std::uint32_t>(left[i], 16);
      if (take == 0) continue;
      const std::uint32_t x = d.state[i];
      out[i] |= (x & ((1U << take) - 1)) << done;
      d.state[i] = renormalised(d, x >> take);
      left[i] -= take;
      anyLeft |= left[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t u = bucket[i] >> 1;
    const std::uint32_t k = u < 4 ? 0 : (u >> 1) - 1;
    const std::uint32_t first = u < 2 ? u : (2 | (u & 1)) << k;
    const std::uint32_t m = first + out[i];
    out[i] = (bucket[i] & 1) != 0 ? 0U - m : m;
  }
}

inline void decodeDeltas(RansDecoder& d, const std::uint32_t* tables, const std::uint8_t* contexts,
                         std::size_t count, std::uint32_t* out) noexcept {
  for (std::size_t i = 0; i < count; i += d.lanes) {
    decodeDeltaGroup(d, tables, contexts + i, std::min<std::size_t>(d.lanes, count - i), out + i);
  }
}

inline void decodeSymbols(RansDecoder& d, const std::uint32_t* table, std::size_t count,
                          std::uint8_t* out) noexcept {
  for (std::size_t start = 0; start < count; start += d.lanes) {
    const std::size_t n = std::min<std::size_t>(d.lanes, count - start);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t x = d.state[i];
      const std::uint32_t entry = table[x & (kProbabilityScale - 1)];
      d.state[i] = renormalised(d, advanced(x, entry));
      out[start + i] = static_cast<std::uint8_t>(entry >> 22);
    }
  }
}

/// Calls `group(g)` for the `groups` groups that are left where the stream is too short for wide
/// loads: `next` then walks over a copy of its last words with zeros behind. A group reads at most
/// kSlack words from `next` on, and fewer than that are left.
template <std::ptrdiff_t kSlack, typename Group>
inline void decodeTail(const RansDecoder& d, const std::uint16_t*& next, std::size_t groups,
                       Group&& group) noexcept {
  const std::uint16_t* const from = next;
  const std::ptrdiff_t left = std::max<std::ptrdiff_t>(d.end - from, 0);
  std::uint16_t words[2 * kSlack] = {};
  if (left > 0) std::memcpy(words, from, static_cast<std::size_t>(left) * sizeof *words);
  const std::uint16_t* const end = words + left;
  bool isShort = false;
  next = words;
  for (std::size_t g = 0; g < groups; ++g) {
    group(g);
    isShort = isShort || next > end;
    next = std::min(next, end);
  }
  next = isShort ? d.end + 1 : from + (next - words);
}

/// x with `bits` raw bits pushed in; emits a word downwards where it would overflow.
inline std::uint32_t pushRaw(std::uint32_t x, std::uint32_t value, unsigned bits,
                             std::uint16_t*& words) noexcept {
  if ((static_cast<std::uint64_t>(x) >> (32 - bits)) != 0) {
    *--words = static_cast<std::uint16_t>(x);
    x >>= 16;
  }
  return x << bits | value;
}

inline std::uint32_t pushSymbol(std::uint32_t x, const RansEncoderEntry& entry, std::uint32_t raw,
                                unsigned rawBits, std::uint16_t*& words) noexcept {
  const std::uint64_t limit = static_cast<std::uint64_t>(entry.frequency)
                              << (32 - kProbabilityBits - rawBits);
  const bool full = x >= limit;
  words[-1] = static_cast<std::uint16_t>(x);
  words -= full ? 1 : 0;
  x = full ? x >> 16 : x;
  x = x << rawBits | raw;
  const std::uint32_t quotient = x / entry.frequency;
  return (quotient << kProbabilityBits) + x % entry.frequency + entry.start;
}

/// Raw bits of one group beyond the fused ones, last first.
inline void encodeRawGroup(const std::uint8_t* symbols, const std::uint32_t* raw, std::size_t n,
                           std::uint32_t* states, std::uint16_t*& words) noexcept {
  std::uint32_t top = 0;
  for (std::size_t i = 0; i < n; ++i) top = std::max<std::uint32_t>(top, symbols[i]);
  const unsigned longest = top < 8 ? 0 : (top >> 2) - 1;
  if (longest <= kFusedRawBits) return;
  for (int from = longest > kFusedRawBits + 16 ? kFusedRawBits + 16 : kFusedRawBits;
       from >= static_cast<int>(kFusedRawBits); from -= 16) {
    for (std::size_t i = n; i-- > 0;) {
      const int k = symbols[i] < 8 ? 0 : (symbols[i] >> 2) - 1;
      if (k <= from) continue;
      const auto bits = static_cast<unsigned>(std::min(k - from, 16));
      states[i] = pushRaw(states[i], raw[i] >> from & ((1U << bits) - 1), bits, words);
    }
  }
}

inline std::uint16_t* encodeDeltas(const RansEncoderEntry* entries, std::size_t alphabet,
                                   const std::uint8_t* contexts, DeltaCodes codes,
                                   std::size_t count, unsigned lanes, std::uint32_t* states,
                                   std::uint16_t* words) noexcept {
  const std::size_t groups = (count + lanes - 1) / lanes;
  for (std::size_t group = groups; group-- > 0;) {
    const std::size_t start = group * lanes;
    const std::size_t n = std::min<std::size_t>(lanes, count - start);
    encodeRawGroup(codes.symbols + start, codes.raw + start, n, states, words);
    for (std::size_t i = n; i-- > 0;) {
      const unsigned symbol = codes.symbols[start + i];
      const unsigned k = symbol < 8 ? 0 : (symbol >> 2) - 1;
      const unsigned fused = std::min(k, kFusedRawBits);
      const RansEncoderEntry& entry = entries[contexts[start + i] * alphabet + symbol];
      if (entry.frequency == 0) return nullptr;
      states[i] =
          pushSymbol(states[i], entry, codes.raw[start + i] & ((1U << fused) - 1), fused, words);
    }
  }
  return words;
}

inline std::uint16_t* encodeSymbols(const RansEncoderEntry* entries, const std::uint8_t* symbols,
                                    std::size_t count, unsigned lanes, std::uint32_t* states,
                                    std::uint16_t* words) noexcept {
  const std::size_t groups = (count + lanes - 1) / lanes;
  for (std::size_t group = groups; group-- > 0;) {
    const std::size_t start = group * lanes;
    for (std::size_t i = std::min<std::size_t>(lanes, count - start); i-- > 0;) {
      states[i] = pushSymbol(states[i], entries[symbols[start + i]], 0, 0, words);
    }
  }
  return words;
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
