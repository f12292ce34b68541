#pragma once

// Counting and encoding the differences of a part (codecs `integer` and `xor`): each word is read
// with its parent's, and its class and context are found where they are needed. See rans_warp.h;
// a stream is written from its end, as its decoder reads from its start.

#include "kernels/cuda/word_terms.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

STRATA_SHARED inline unsigned bitsNeeded(std::uint32_t number) noexcept {
#ifdef __CUDA_ARCH__
  return 32 - static_cast<unsigned>(__clz(static_cast<int>(number)));
#else
  return static_cast<unsigned>(std::bit_width(number));
#endif
}

/// A word's difference as the entropy coder takes it (docs/FORMAT.md, "Difference symbols").
struct DeltaSymbol {
  std::uint32_t context;
  std::uint32_t symbol;
  std::uint32_t raw;
  std::uint32_t rawBits;
};

/// That of word `number` of the part.
template <typename Stored>
STRATA_SHARED inline DeltaSymbol deltaSymbol(const std::byte* input, const DeviceEncoding& work,
                                             const SymbolContexts& contexts,
                                             std::uint32_t number) noexcept {
  using Word = CodedWord<Stored>;
  const DevicePart& part = work.part;
  const Place place = placeOf(number, part.columns);
  const std::uint64_t at = std::uint64_t{number} * sizeof(Stored);
  const Word parent = parentWord(input, part, place, loaded<Stored>(input + work.parentAt + at));
  Word word = codedWord(loaded<Stored>(input + work.wordsAt + at), part);
  if (part.difference.shift != 0) word = droppedShift(word, part.difference.shift);
  const Word change = part.difference.format.isXor
                          ? static_cast<Word>(parent ^ word)
                          : difference(parent, word, part.difference.format.isFloat);
  const Word sign = part.difference.format.isXor ? Word{0} : signMask(change);
  const std::uint32_t magnitude = static_cast<Word>((change ^ sign) - sign);
  const unsigned length = bitsNeeded(magnitude);
  const unsigned rawBits = length < 2 ? 0 : length - 2;
  return {.context = contexts.of(place, exponentIn(part, parent)),
          .symbol = 2 * ((magnitude >> rawBits) + 2 * rawBits) + (sign & 1U),
          .raw = magnitude & ((1U << rawBits) - 1),
          .rawBits = rawBits};
}

/// Counts the symbols of words [first, end): counts[context * alphabet + symbol].
template <typename Stored, typename Warp>
STRATA_SHARED inline void countDeltas(Warp& warp, const std::byte* input,
                                      const DeviceEncoding& work, std::uint32_t first,
                                      std::uint32_t end, std::uint32_t* counts) {
  const SymbolContexts contexts(input, work.part);
  for (std::uint32_t start = first; start < end; start += kMaxLanes) {
    warp.each([&](unsigned lane) {
      if (end - start <= lane) return;
      const DeltaSymbol delta = deltaSymbol<Stored>(input, work, contexts, start + lane);
      warp.increment(counts[delta.context * work.alphabet + delta.symbol]);
    });
  }
}

/// A rANS stream as it grows downwards.
template <typename Warp>
struct StreamEncoder {
  typename Warp::template Of<std::uint32_t> state;
  std::byte* begin;
};

/// Lanes that `isFull` names give up the lower half of their states, in the order of lanes.
template <typename Warp, typename IsFull>
STRATA_SHARED inline void pushWords(Warp& warp, StreamEncoder<Warp>& stream, IsFull&& isFull) {
  const std::uint32_t full = warp.ballot(isFull);
  if (full == 0) return;
  stream.begin -= std::uint64_t{2} * bitCount(full);
  warp.each([&](unsigned lane) {
    if ((full >> lane & 1) == 0) return;
    const std::uint32_t before = bitCount(full & ((1U << lane) - 1));
    stored(stream.begin + std::uint64_t{2} * before,
           static_cast<std::uint16_t>(stream.state[lane]));
    stream.state[lane] >>= 16;
  });
}

/// Raw bits [from, from + 16) of each lane's difference.
template <typename Warp>
STRATA_SHARED inline void encodeRaw(Warp& warp, StreamEncoder<Warp>& stream,
                                    const typename Warp::template Of<DeltaSymbol>& delta,
                                    unsigned from) {
  typename Warp::template Of<std::uint32_t> bits;
  warp.each([&](unsigned lane) {
    const std::uint32_t rawBits = delta[lane].rawBits;
    const std::uint32_t left = rawBits > from ? rawBits - from : 0;
    bits[lane] = left < 16 ? left : 16;
  });
  if (warp.ballot([&](unsigned lane) { return bits[lane] != 0; }) == 0) return;
  pushWords(warp, stream, [&](unsigned lane) {
    return bits[lane] != 0 && stream.state[lane] >> (32 - bits[lane]) != 0;
  });
  warp.each([&](unsigned lane) {
    if (bits[lane] == 0) return;
    const std::uint32_t value = delta[lane].raw >> from & ((1U << bits[lane]) - 1);
    stream.state[lane] = stream.state[lane] << bits[lane] | value;
  });
}

/// One symbol and its fused raw bits of each lane that is active.
template <typename Warp, typename Active>
STRATA_SHARED inline void encodeSymbols(Warp& warp, StreamEncoder<Warp>& stream,
                                        const typename Warp::template Of<DeltaSymbol>& delta,
                                        const typename Warp::template Of<RansEncoderEntry>& entry,
                                        Active&& active) {
  const auto fusedBits = [&](unsigned lane) {
    const std::uint32_t rawBits = delta[lane].rawBits;
    return rawBits < kFusedRawBits ? rawBits : kFusedRawBits;
  };
  pushWords(warp, stream, [&](unsigned lane) {
    if (!active(lane)) return false;
    const std::uint64_t limit = std::uint64_t{entry[lane].frequency}
                                << (32 - kProbabilityBits - fusedBits(lane));
    return stream.state[lane] >= limit;
  });
  warp.each([&](unsigned lane) {
    if (!active(lane)) return;
    const std::uint32_t fused = fusedBits(lane);
    const std::uint32_t x = stream.state[lane] << fused | (delta[lane].raw & ((1U << fused) - 1));
    const std::uint32_t frequency = entry[lane].frequency;
    stream.state[lane] = (x / frequency << kProbabilityBits) + x % frequency + entry[lane].start;
  });
}

/// Encodes block `block` of the part into the bytes before `end`, at most mostStreamBytes(); gives
/// how many they are, or 0 if a symbol has no place in its table.
template <typename Stored, typename Warp>
STRATA_SHARED inline std::uint32_t encodeDeltaBlock(Warp& warp, const std::byte* input,
                                                    const DeviceEncoding& work, std::uint32_t block,
                                                    std::byte* end) {
  const std::uint32_t first = block * work.blockWords;
  const std::uint32_t left = work.wordCount - first;
  const std::uint32_t count = left < work.blockWords ? left : work.blockWords;
  const std::uint32_t lanes = lanesOf(count);
  const SymbolContexts contexts(input, work.part);
  const auto* map = arrayAt<std::uint8_t>(input, work.part.symbols.mapAt);
  const auto* entries = arrayAt<RansEncoderEntry>(input, work.entriesAt);
  StreamEncoder<Warp> stream;
  stream.begin = end;
  typename Warp::template Of<DeltaSymbol> delta;
  typename Warp::template Of<RansEncoderEntry> entry;
  warp.each([&](unsigned lane) { stream.state[lane] = kStateLow; });
  const std::uint32_t groups = (count + lanes - 1) / lanes;
  for (std::uint32_t group = groups; group-- > 0;) {
    const std::uint32_t start = group * lanes;
    const auto active = [&](unsigned lane) { return lane < lanes && start + lane < count; };
    warp.each([&](unsigned lane) {
      delta[lane].rawBits = 0;
      if (!active(lane)) return;
      delta[lane] = deltaSymbol<Stored>(input, work, contexts, first + start + lane);
      entry[lane] = entries[map[delta[lane].context] * work.alphabet + delta[lane].symbol];
    });
    const std::uint32_t lost =
        warp.ballot([&](unsigned lane) { return active(lane) && entry[lane].frequency == 0; });
    if (lost != 0) return 0;
    encodeRaw(warp, stream, delta, kFusedRawBits + 16);
    encodeRaw(warp, stream, delta, kFusedRawBits);
    encodeSymbols(warp, stream, delta, entry, active);
  }
  stream.begin -= std::uint64_t{4} * lanes;
  warp.each([&](unsigned lane) {
    if (lane < lanes) stored(stream.begin + std::uint64_t{4} * lane, stream.state[lane]);
  });
  return static_cast<std::uint32_t>(end - stream.begin);
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
