#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/codec/entropy/frequency_table.h"
#include "kernels/cpu_kernels.h"

namespace strata::test {

/// A block of differences as the coder takes it.
struct DeltaBlock {
  std::vector<FrequencyTable> tables;
  std::vector<std::uint8_t> contexts;
  std::vector<std::uint8_t> symbols;
  std::vector<std::uint32_t> raw;
};

inline unsigned rawBitsOf(unsigned symbol) { return symbol < 8 ? 0 : symbol / 4 - 1; }

/// `top` is the highest symbol; the skew makes low ones common.
inline DeltaBlock makeBlock(std::size_t count, std::size_t alphabet, unsigned top, double skew,
                            unsigned seed) {
  std::mt19937_64 random(seed);
  std::geometric_distribution<unsigned> geometric(skew);
  constexpr std::size_t kTables = 5;
  DeltaBlock block;
  std::vector<std::vector<std::uint32_t>> counts(kTables, std::vector<std::uint32_t>(alphabet));
  for (std::size_t i = 0; i < count; ++i) {
    const auto context = static_cast<std::uint8_t>(random() % kTables);
    const unsigned symbol = std::min(top, context == 0 ? 0U : geometric(random));
    const std::uint32_t mask = static_cast<std::uint32_t>((1ULL << rawBitsOf(symbol)) - 1);
    block.contexts.push_back(context);
    block.symbols.push_back(static_cast<std::uint8_t>(symbol));
    block.raw.push_back(static_cast<std::uint32_t>(random()) & mask);
    ++counts[context][symbol];
  }
  for (const auto& row : counts) block.tables.push_back(normalise(row));
  return block;
}

inline std::vector<DeltaBlock> blocksOf(std::size_t count) {
  return {makeBlock(count, 64, 5, 0.8, 1), makeBlock(count, 64, 63, 0.05, 2),
          makeBlock(count, 128, 127, 0.015, 3), makeBlock(count, 64, 30, 0.3, 4),
          makeBlock(count, 128, 1, 0.999, 5)};
}

/// A stream: lane states and words. `words` begins at an odd address, as in a payload.
struct Stream {
  std::array<std::uint32_t, kernels::kMaxLanes> states{};
  std::vector<std::byte> words;

  friend bool operator==(const Stream&, const Stream&) = default;
};

inline Stream streamOf(const std::uint32_t* states, unsigned lanes, const std::uint16_t* from,
                       const std::uint16_t* end) {
  Stream stream;
  std::copy_n(states, lanes, stream.states.begin());
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  stream.words.push_back(std::byte{0});
  stream.words.insert(stream.words.end(), bytes, reinterpret_cast<const std::byte*>(end));
  return stream;
}

inline constexpr std::size_t kGuardWords = 64;

inline Stream encodeBlock(const kernels::CpuKernels& set, const DeltaBlock& block, unsigned lanes) {
  DeltaBlock copy = block;
  const auto entries = encoderTable(block.tables);
  std::vector<std::uint16_t> words(3 * block.symbols.size() + kGuardWords);
  std::uint32_t states[kernels::kMaxLanes];
  std::fill_n(states, lanes, kernels::kStateLow);
  std::uint16_t* end = words.data() + words.size();
  const std::uint16_t* from = set.encodeDeltas(
      entries.data(), block.tables[0].size(), copy.contexts.data(),
      {copy.symbols.data(), copy.raw.data()}, copy.symbols.size(), lanes, states, end);
  return streamOf(states, lanes, from, end);
}

/// What a decoder gave and where it stood at the end.
struct Decoded {
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> states;
  std::ptrdiff_t left = 0;

  friend bool operator==(const Decoded&, const Decoded&) = default;
};

inline kernels::RansDecoder decoderOf(const Stream& stream, unsigned lanes) {
  kernels::RansDecoder decoder{};
  std::copy_n(stream.states.begin(), lanes, decoder.state);
  const std::byte* words = stream.words.data() + 1;
  decoder.next = reinterpret_cast<const std::uint16_t*>(words);
  decoder.end = reinterpret_cast<const std::uint16_t*>(stream.words.data() + stream.words.size());
  decoder.lanes = lanes;
  return decoder;
}

inline Decoded decodedBy(const kernels::RansDecoder& decoder, std::vector<std::uint32_t> values) {
  return {std::move(values),
          {decoder.state, decoder.state + decoder.lanes},
          decoder.end - decoder.next};
}

/// Decodes in pieces of `piece` values.
inline Decoded decodeBlock(const kernels::CpuKernels& set, const Stream& stream,
                           const DeltaBlock& block, unsigned lanes, std::size_t piece) {
  const auto slots = decoderTable(block.tables);
  kernels::RansDecoder decoder = decoderOf(stream, lanes);
  std::vector<std::uint32_t> values(block.contexts.size());
  for (std::size_t at = 0; at < values.size(); at += piece) {
    set.decodeDeltas(decoder, slots.data(), block.contexts.data() + at,
                     std::min(piece, values.size() - at), values.data() + at);
  }
  return decodedBy(decoder, std::move(values));
}

}  // namespace strata::test
