#pragma once

// Decoding one block with one warp, in place: the words of the parent lie where those of the block
// go. Each word is read, predicted, moved and written once. See rans_warp.h.

#include "kernels/cuda/checksum_warp.h"
#include "kernels/cuda/word_terms.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// The batch's input and output as a block sees them.
struct BlockBytes {
  const std::byte* input;
  const std::byte* payload;
  std::byte* words;

  STRATA_SHARED BlockBytes(const std::byte* batch, const DeviceBlock& block,
                           std::byte* output) noexcept
      : input(batch), payload(batch + block.payloadAt), words(output + block.outputAt) {}
};

template <typename Warp>
STRATA_SHARED inline bool copyBlock(Warp& warp, const BlockBytes& bytes, const DeviceBlock& block) {
  for (std::uint32_t start = 0; start < block.wordCount; start += kMaxLanes) {
    warp.each([&](unsigned lane) {
      if (start + lane < block.wordCount) bytes.words[start + lane] = bytes.payload[start + lane];
    });
  }
  return true;
}

/// Codecs `integer` and `xor`.
template <typename Stored, typename Warp>
STRATA_SHARED inline bool decodeDeltaBlock(Warp& warp, const BlockBytes& bytes,
                                           const DevicePart& part, const DeviceBlock& block) {
  using Word = CodedWord<Stored>;
  const std::uint32_t lanes = lanesOf(block.wordCount);
  WarpStream<Warp> stream;
  if (!openStream(warp, bytes.payload, block.payloadBytes, lanes, stream)) return false;
  const SymbolTables tables(bytes.input, part);
  typename Warp::template Of<Place> place;
  typename Warp::template Of<Word> parent;
  typename Warp::template Of<const std::uint32_t*> table;
  typename Warp::template Of<std::uint32_t> delta;
  warp.each([&](unsigned lane) { place[lane] = placeOf(block.firstWord + lane, part.columns); });
  for (std::uint32_t start = 0; start < block.wordCount; start += lanes) {
    const auto active = [&](unsigned lane) {
      return lane < lanes && start + lane < block.wordCount;
    };
    warp.each([&](unsigned lane) {
      if (!active(lane)) return;
      const std::byte* from = bytes.words + std::uint64_t{start + lane} * sizeof(Stored);
      parent[lane] = parentWord(bytes.input, part, place[lane], loaded<Stored>(from));
      table[lane] = tables.of(place[lane], exponentIn(part, parent[lane]));
    });
    decodeDeltas(
        warp, stream, active, [&](unsigned lane) { return table[lane]; }, delta);
    warp.each([&](unsigned lane) {
      if (!active(lane)) return;
      const auto change = static_cast<Word>(delta[lane]);
      Word word = part.difference.format.isXor
                      ? static_cast<Word>(parent[lane] ^ change)
                      : moved(parent[lane], change, part.difference.format.isFloat);
      if (part.difference.shift != 0) word = unshifted(word, part.difference.shift);
      stored(bytes.words + std::uint64_t{start + lane} * sizeof(Stored),
             storedWord<Stored>(word, part));
      place[lane].moveOn(lanes, part.columns);
    });
  }
  return endedClean(warp, stream);
}

/// Where the bytes of one plane of a block come from.
template <typename Warp>
struct PlaneBytes {
  const std::byte* raw;
  WarpStream<Warp> stream;
};

/// False where the block's bytes are not what its planes need.
template <typename Stored, typename Warp>
STRATA_SHARED inline bool openPlanes(Warp& warp, const BlockBytes& bytes, const DevicePart& part,
                                     const DeviceBlock& block,
                                     PlaneBytes<Warp> (&planes)[sizeof(Stored)]) {
  std::uint32_t at = 0;
  for (unsigned p = 0; p < sizeof(Stored); ++p) {
    const std::uint32_t left = block.payloadBytes - at;
    if (part.planes.sources[p] == PlaneSource::Raw) {
      if (left < block.wordCount) return false;
      planes[p].raw = bytes.payload + at;
      at += block.wordCount;
    } else if (part.planes.sources[p] == PlaneSource::Coded) {
      if (left < 4) return false;
      const auto size = loaded<std::uint32_t>(bytes.payload + at);
      if (left - 4 < size) return false;
      const std::uint32_t lanes = lanesOf(block.wordCount);
      if (!openStream(warp, bytes.payload + at + 4, size, lanes, planes[p].stream)) return false;
      at += 4 + size;
    }
  }
  return at == block.payloadBytes;
}

/// The word that the bytes of all planes make together.
template <typename Stored>
STRATA_SHARED inline Stored meantWord(Stored joined, Stored parent,
                                      const DevicePart& part) noexcept {
  switch (part.planes.meaning) {
    case PlaneMeaning::Xor:
      return static_cast<Stored>(parent ^ joined);
    case PlaneMeaning::Difference: {
      const auto sign = static_cast<Stored>(Stored{0} - (joined & 1));
      return moved(parent, static_cast<Stored>(static_cast<Stored>(joined >> 1) ^ sign),
                   part.isFloat);
    }
    default:
      break;
  }
  if (!part.isFloat) return joined;
  return static_cast<Stored>(joined >> 1 | joined << kTopBit<Stored>);
}

/// Codec `planes`.
template <typename Stored, typename Warp>
STRATA_SHARED inline bool decodePlanesBlock(Warp& warp, const BlockBytes& bytes,
                                            const DevicePart& part, const DeviceBlock& block) {
  PlaneBytes<Warp> planes[sizeof(Stored)];
  if (!openPlanes<Stored>(warp, bytes, part, block, planes)) return false;
  const std::uint32_t lanes = lanesOf(block.wordCount);
  typename Warp::template Of<Stored> joined;
  for (std::uint32_t start = 0; start < block.wordCount; start += lanes) {
    const auto active = [&](unsigned lane) {
      return lane < lanes && start + lane < block.wordCount;
    };
    warp.each([&](unsigned lane) { joined[lane] = 0; });
    for (unsigned p = 0; p < sizeof(Stored); ++p) {
      const auto put = [&](unsigned lane, std::uint32_t value) {
        joined[lane] = static_cast<Stored>(joined[lane] | static_cast<Stored>(value) << (8 * p));
      };
      if (part.planes.sources[p] == PlaneSource::Coded) {
        const auto* table = arrayAt<std::uint32_t>(bytes.input, part.planes.tablesAt[p]);
        decodeSymbols(warp, planes[p].stream, table, active, put);
      } else {
        warp.each([&](unsigned lane) {
          if (!active(lane)) return;
          put(lane, part.planes.sources[p] == PlaneSource::Raw
                        ? static_cast<std::uint32_t>(planes[p].raw[start + lane])
                        : part.planes.constants[p]);
        });
      }
    }
    warp.each([&](unsigned lane) {
      if (!active(lane)) return;
      std::byte* at = bytes.words + std::uint64_t{start + lane} * sizeof(Stored);
      const Stored parent =
          part.planes.meaning == PlaneMeaning::Words ? Stored{0} : loaded<Stored>(at);
      stored(at, meantWord(joined[lane], parent, part));
    });
  }
  for (unsigned p = 0; p < sizeof(Stored); ++p) {
    if (part.planes.sources[p] == PlaneSource::Coded && !endedClean(warp, planes[p].stream))
      return false;
  }
  return true;
}

/// What the parent's word and the factors say a word's value is, before the rest is added.
template <typename Stored>
STRATA_SHARED inline float plainValue(const BlockBytes& bytes, const DevicePart& part,
                                      const Place& place, const std::byte* at) noexcept {
  float value = 0;
  if (part.hasParent) {
    const Stored word = loaded<Stored>(at);
    if constexpr (sizeof(Stored) == 4) {
      value = std::bit_cast<float>(word);
    } else {
      value = part.kind == FloatKind::BF16 ? floatOfBfloat(word) : floatOfHalf(word);
    }
  }
  if (part.factors.rank == 0) return value;
  const auto sum = factorSum<std::int16_t, std::int32_t>(bytes.input, part, place);
  const auto scale = static_cast<float>(part.factors.scale);
  const std::uint32_t word = mapped32(std::bit_cast<std::uint32_t>(value),
                                      [&](float v) { return v + scaledSum(sum, scale); });
  return std::bit_cast<float>(word);
}

template <typename Stored>
STRATA_SHARED inline void storeValue(const DevicePart& part, float value, std::byte* at) noexcept {
  if constexpr (sizeof(Stored) == 4) {
    stored(at, std::bit_cast<std::uint32_t>(value));
  } else {
    stored(at, part.kind == FloatKind::BF16 ? bfloatOfFloat(value) : halfOfFloat(value));
  }
}

/// Codec `levels`.
template <typename Stored, typename Warp>
STRATA_SHARED inline bool decodeLevelsBlock(Warp& warp, const BlockBytes& bytes,
                                            const DevicePart& part, const DeviceBlock& block) {
  const std::uint32_t lanes = lanesOf(block.wordCount);
  WarpStream<Warp> stream;
  if (!openStream(warp, bytes.payload, block.payloadBytes, lanes, stream)) return false;
  const SymbolTables tables(bytes.input, part);
  const auto* values = arrayAt<float>(bytes.input, part.levels.valuesAt);
  typename Warp::template Of<Place> place;
  typename Warp::template Of<std::uint32_t> level;
  warp.each([&](unsigned lane) { place[lane] = placeOf(block.firstWord + lane, part.columns); });
  for (std::uint32_t start = 0; start < block.wordCount; start += lanes) {
    const auto active = [&](unsigned lane) {
      return lane < lanes && start + lane < block.wordCount;
    };
    decodeDeltas(
        warp, stream, active, [&](unsigned lane) { return tables.of(place[lane], 0); }, level);
    warp.each([&](unsigned lane) {
      if (!active(lane)) return;
      std::byte* at = bytes.words + std::uint64_t{start + lane} * sizeof(Stored);
      const float plain = plainValue<Stored>(bytes, part, place[lane], at);
      const float rest = valueOfLevel(static_cast<std::int32_t>(level[lane]), values,
                                      part.levels.most, part.levels.isUniform, part.levels.step);
      storeValue<Stored>(part, plain + rest, at);
      place[lane].moveOn(lanes, part.columns);
    });
  }
  return endedClean(warp, stream);
}

/// The patterns of a block as a bit string of numbers of `bits` bits.
struct PatternNumbers {
  const std::byte* bytes;
  std::uint32_t bits;

  STRATA_SHARED std::uint32_t at(std::uint32_t run, std::uint32_t byteCount) const noexcept {
    const std::uint32_t first = run * bits;
    std::uint64_t window = 0;
    for (std::uint32_t i = 0; i < 5 && first / 8 + i < byteCount; ++i) {
      window |= static_cast<std::uint64_t>(bytes[first / 8 + i]) << (8 * i);
    }
    return static_cast<std::uint32_t>(window >> first % 8) & ((1U << bits) - 1);
  }
};

/// Bits that a number below `length` takes.
STRATA_SHARED inline std::uint32_t indexBits(std::uint32_t length) noexcept {
  std::uint32_t bits = 0;
  while ((length - 1) >> bits != 0) ++bits;
  return bits;
}

/// Codec `patterns`.
template <typename Stored, typename Warp>
STRATA_SHARED inline bool decodePatternsBlock(Warp& warp, const BlockBytes& bytes,
                                              const DevicePart& part, const DeviceBlock& block) {
  const std::uint32_t length = part.patterns.length;
  const std::uint32_t functionBits = length == 0 ? 0 : indexBits(length);
  const PatternNumbers numbers{bytes.payload, 1 + functionBits + part.patterns.basesLog2};
  const std::uint32_t runs = length == 0 ? 0 : (block.wordCount + length - 1) / length;
  const std::uint32_t bitCountAll = runs * numbers.bits;
  if (block.payloadBytes != (bitCountAll + 7) / 8) return false;
  if (bitCountAll % 8 != 0 &&
      static_cast<unsigned>(bytes.payload[block.payloadBytes - 1]) >> bitCountAll % 8 != 0) {
    return false;
  }
  typename Warp::template Of<Place> place;
  warp.each([&](unsigned lane) { place[lane] = placeOf(block.firstWord + lane, part.columns); });
  for (std::uint32_t start = 0; start < block.wordCount; start += kMaxLanes) {
    warp.each([&](unsigned lane) {
      const std::uint32_t word = start + lane;
      if (word >= block.wordCount) return;
      std::byte* at = bytes.words + std::uint64_t{word} * sizeof(Stored);
      float value = plainValue<Stored>(bytes, part, place[lane], at);
      if (length != 0) {
        const std::uint32_t number = numbers.at(word / length, block.payloadBytes);
        const std::uint32_t index = word % length;
        const std::uint32_t basis = number >> functionBits & ((1U << part.patterns.basesLog2) - 1);
        const std::uint64_t flips = flipWord(basis, index / 64) >> index % 64;
        const std::uint32_t ones = bitCount(number & ((1U << functionBits) - 1) & index) +
                                   (number >> (numbers.bits - 1)) +
                                   static_cast<std::uint32_t>(flips & 1);
        value += (ones & 1) != 0 ? -part.patterns.amplitude : part.patterns.amplitude;
      }
      storeValue<Stored>(part, value, at);
      place[lane].moveOn(kMaxLanes, part.columns);
    });
  }
  return true;
}

/// A block of one coding.
template <DeviceCoding kCoding, typename Warp>
STRATA_SHARED inline bool decodeWords(Warp& warp, const BlockBytes& bytes, const DevicePart& part,
                                      const DeviceBlock& block) {
  if constexpr (kCoding == DeviceCoding::Copy) {
    return copyBlock(warp, bytes, block);
  } else if constexpr (kCoding == DeviceCoding::Delta) {
    if (part.wordBytes == 1) return decodeDeltaBlock<std::uint8_t>(warp, bytes, part, block);
    if (part.wordBytes == 2) return decodeDeltaBlock<std::uint16_t>(warp, bytes, part, block);
    return decodeDeltaBlock<std::uint32_t>(warp, bytes, part, block);
  } else if constexpr (kCoding == DeviceCoding::Planes) {
    if (part.wordBytes == 1) return decodePlanesBlock<std::uint8_t>(warp, bytes, part, block);
    if (part.wordBytes == 2) return decodePlanesBlock<std::uint16_t>(warp, bytes, part, block);
    if (part.wordBytes == 4) return decodePlanesBlock<std::uint32_t>(warp, bytes, part, block);
    return decodePlanesBlock<std::uint64_t>(warp, bytes, part, block);
  } else if constexpr (kCoding == DeviceCoding::Levels) {
    if (part.wordBytes == 2) return decodeLevelsBlock<std::uint16_t>(warp, bytes, part, block);
    return decodeLevelsBlock<std::uint32_t>(warp, bytes, part, block);
  } else {
    if (part.wordBytes == 2) return decodePatternsBlock<std::uint16_t>(warp, bytes, part, block);
    return decodePatternsBlock<std::uint32_t>(warp, bytes, part, block);
  }
}

/// Decodes and checks a block.
template <DeviceCoding kCoding, typename Warp>
STRATA_SHARED inline BlockState decodeBlock(Warp& warp, const std::byte* input,
                                            const DevicePart& part, const DeviceBlock& block,
                                            const ChecksumKeys& keys, std::byte* output) {
  const BlockBytes bytes(input, block, output);
  if (!decodeWords<kCoding>(warp, bytes, part, block)) return BlockState::BadStream;
  if constexpr (kCoding == DeviceCoding::Copy) return BlockState::Good;
  const std::uint64_t byteCount = std::uint64_t{block.wordCount} * part.wordBytes;
  const std::uint32_t found = blockChecksum(warp, bytes.words, byteCount, keys);
  return found == block.checksum ? BlockState::Good : BlockState::BadChecksum;
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
