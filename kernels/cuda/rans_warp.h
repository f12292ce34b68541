#pragma once

// The entropy decoder as one warp runs it: lane l of the warp is lane l of the stream. A `Warp` has
// Of<T>, a variable of each lane; each(f), which calls f(lane) in every lane; ballot(f), the lanes
// whose f(lane) is true; exchanged(v, d), what lane ^ d has in v; increment(n), which lanes and
// warps may call for one number at once. All else is the same in all lanes. Includers set
// STRATA_LOOPS (kernels/word_math.h).

#include <cstring>

#include "kernels/device_engine.h"
#include "kernels/word_math.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

STRATA_SHARED inline unsigned bitCount(std::uint32_t bits) noexcept {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(bits));
#else
  return static_cast<unsigned>(std::popcount(bits));
#endif
}

/// A little-endian number from any address.
template <typename T>
STRATA_SHARED inline T loaded(const std::byte* from) noexcept {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(T) == 0) {
    return *reinterpret_cast<const T*>(from);
  }
  T value = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(from[i]) << (8 * i)));
  }
  return value;
}
template <typename T>
STRATA_SHARED inline void stored(std::byte* to, T value) noexcept {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0) {
    *reinterpret_cast<T*>(to) = value;
    return;
  }
  for (unsigned i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

/// An array of the batch's input.
template <typename T>
STRATA_SHARED inline const T* arrayAt(const std::byte* input, std::uint64_t at) noexcept {
  return at == kNoArray ? nullptr : reinterpret_cast<const T*>(input + at);
}

/// One rANS stream. Words past its end are zeros; `used` then passes `wordCount`.
template <typename Warp>
struct WarpStream {
  typename Warp::template Of<std::uint32_t> state;
  const std::byte* words;
  std::uint32_t wordCount;
  std::uint32_t used;
  std::uint32_t lanes;
};

/// Lanes of a stream of so many symbols (docs/FORMAT.md, "Streams").
STRATA_SHARED inline std::uint32_t lanesOf(std::uint32_t symbolCount) noexcept {
  return symbolCount >= 16384 ? 32 : 4;
}

/// False where the bytes are too few or odd.
template <typename Warp>
STRATA_SHARED inline bool openStream(Warp& warp, const std::byte* bytes, std::uint32_t byteCount,
                                     std::uint32_t lanes, WarpStream<Warp>& stream) {
  const std::uint32_t stateBytes = lanes * 4;
  if (byteCount < stateBytes || byteCount % 2 != 0) return false;
  stream.words = bytes + stateBytes;
  stream.wordCount = (byteCount - stateBytes) / 2;
  stream.used = 0;
  stream.lanes = lanes;
  warp.each([&](unsigned lane) {
    stream.state[lane] = lane < lanes ? loaded<std::uint32_t>(bytes + lane * 4) : kStateLow;
  });
  return true;
}

/// Whether all words were used and every state is at its start.
template <typename Warp>
STRATA_SHARED inline bool endedClean(Warp& warp, const WarpStream<Warp>& stream) {
  const std::uint32_t off =
      warp.ballot([&](unsigned lane) { return stream.state[lane] != kStateLow; });
  return off == 0 && stream.used == stream.wordCount;
}

/// Renormalises the lanes that `takes` names: those in need take words in the order of lanes.
template <typename Warp, typename Takes>
STRATA_SHARED inline void renormalise(Warp& warp, WarpStream<Warp>& stream, Takes&& takes) {
  const std::uint32_t needy =
      warp.ballot([&](unsigned lane) { return takes(lane) && stream.state[lane] < kStateLow; });
  if (needy == 0) return;
  warp.each([&](unsigned lane) {
    if ((needy >> lane & 1) == 0) return;
    const std::uint32_t at = stream.used + bitCount(needy & ((1U << lane) - 1));
    const std::uint32_t word =
        at < stream.wordCount ? loaded<std::uint16_t>(stream.words + std::uint64_t{at} * 2) : 0;
    stream.state[lane] = stream.state[lane] << 16 | word;
  });
  stream.used += bitCount(needy);
}

/// The state after the symbol of a table's entry.
STRATA_SHARED inline std::uint32_t advanced(std::uint32_t state, std::uint32_t entry) noexcept {
  const std::uint32_t frequency = (entry >> kProbabilityBits & (kProbabilityScale - 1)) + 1;
  return frequency * (state >> kProbabilityBits) + (entry & (kProbabilityScale - 1));
}

/// The number that a symbol and its raw bits stand for, modulo 2^32.
STRATA_SHARED inline std::uint32_t deltaOf(std::uint32_t symbol, std::uint32_t raw) noexcept {
  const std::uint32_t u = symbol >> 1;
  const std::uint32_t k = u < 4 ? 0 : (u >> 1) - 1;
  const std::uint32_t first = u < 2 ? u : (2 | (u & 1)) << k;
  const std::uint32_t magnitude = first + raw;
  return (symbol & 1) != 0 ? 0U - magnitude : magnitude;
}

/// One difference for each lane that is active, from the table of 2^11 entries at `table(lane)`.
template <typename Warp, typename Active, typename Table>
STRATA_SHARED inline void decodeDeltas(Warp& warp, WarpStream<Warp>& stream, Active&& active,
                                       Table&& table,
                                       typename Warp::template Of<std::uint32_t>& deltas) {
  typename Warp::template Of<std::uint32_t> symbol;
  typename Warp::template Of<std::uint32_t> left;
  typename Warp::template Of<std::uint32_t> raw;
  warp.each([&](unsigned lane) {
    left[lane] = 0;
    if (!active(lane)) return;
    const std::uint32_t state = stream.state[lane];
    const std::uint32_t entry = table(lane)[state & (kProbabilityScale - 1)];
    symbol[lane] = entry >> 22;
    const std::uint32_t k = symbol[lane] < 8 ? 0 : (symbol[lane] >> 2) - 1;
    const std::uint32_t fused = k < kFusedRawBits ? k : kFusedRawBits;
    const std::uint32_t next = advanced(state, entry);
    raw[lane] = next & ((1U << fused) - 1);
    stream.state[lane] = next >> fused;
    left[lane] = k - fused;
  });
  renormalise(warp, stream, active);
  typename Warp::template Of<bool> takes;
  for (unsigned done = kFusedRawBits; done < 32; done += 16) {
    if (warp.ballot([&](unsigned lane) { return left[lane] != 0; }) == 0) break;
    warp.each([&](unsigned lane) {
      const std::uint32_t take = left[lane] < 16 ? left[lane] : 16;
      takes[lane] = take != 0;
      if (take == 0) return;
      raw[lane] |= (stream.state[lane] & ((1U << take) - 1)) << done;
      stream.state[lane] >>= take;
      left[lane] -= take;
    });
    renormalise(warp, stream, [&](unsigned lane) { return takes[lane]; });
  }
  warp.each([&](unsigned lane) {
    if (active(lane)) deltas[lane] = deltaOf(symbol[lane], raw[lane]);
  });
}

/// The next symbol of each active lane.
template <typename Warp, typename Active, typename Take>
STRATA_SHARED inline void decodeSymbols(Warp& warp, WarpStream<Warp>& stream,
                                        const std::uint32_t* table, Active&& active, Take&& take) {
  warp.each([&](unsigned lane) {
    if (!active(lane)) return;
    const std::uint32_t entry = table[stream.state[lane] & (kProbabilityScale - 1)];
    stream.state[lane] = advanced(stream.state[lane], entry);
    take(lane, entry >> 22);
  });
  renormalise(warp, stream, active);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
