// The entropy coder's kernels: every set against the plain loops, in both directions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/digest.h"
#include "tests/conformance/codec_cases.h"
#include "tests/conformance/kernel_sets.h"
#include "tests/conformance/rans_blocks.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

using kernels::CpuKernels;

class EveryRansCoder : public EveryKernelSet {};

std::uint32_t deltaOf(unsigned symbol, std::uint32_t raw) {
  const unsigned bucket = symbol / 2;
  const std::uint32_t first = bucket < 2 ? bucket : (2U | (bucket & 1)) << rawBitsOf(symbol);
  return symbol % 2 == 1 ? 0U - (first + raw) : first + raw;
}

TEST_P(EveryRansCoder, WritesTheWordsThatThePlainLoopsWrite) {
  for (const std::size_t count : kOddCounts) {
    for (const DeltaBlock& block : blocksOf(count)) {
      for (const unsigned lanes : {32U, 4U}) {
        ASSERT_EQ(encodeBlock(set(), block, lanes), encodeBlock(plain(), block, lanes))
            << count << " values, " << lanes << " lanes";
      }
    }
  }
}

TEST_P(EveryRansCoder, WritesTheSameInPiecesFromTheLastOn) {
  for (DeltaBlock block : blocksOf(1000)) {
    const auto entries = encoderTable(block.tables);
    for (const unsigned lanes : {32U, 4U}) {
      std::vector<std::uint16_t> words(3 * block.symbols.size() + kGuardWords);
      std::uint32_t states[kernels::kMaxLanes];
      std::fill_n(states, lanes, kernels::kStateLow);
      std::uint16_t* const end = words.data() + words.size();
      std::uint16_t* from = end;
      for (std::size_t at = block.symbols.size(); at > 0;) {
        const std::size_t n = (at - 1) % 320 + 1;
        at -= n;
        from = set().encodeDeltas(
            entries.data(), block.tables[0].size(), block.contexts.data() + at,
            {block.symbols.data() + at, block.raw.data() + at}, n, lanes, states, from);
      }
      ASSERT_EQ(streamOf(states, lanes, from, end), encodeBlock(plain(), block, lanes));
    }
  }
}

TEST_P(EveryRansCoder, GivesNothingForASymbolWithoutAPlace) {
  DeltaBlock block = blocksOf(1000)[0];
  auto entries = encoderTable(block.tables);
  const std::size_t alphabet = block.tables[0].size();
  for (const std::size_t at : {std::size_t{3}, std::size_t{500}, std::size_t{999}}) {
    auto missing = entries;
    missing[block.contexts[at] * alphabet + block.symbols[at]].frequency = 0;
    for (const unsigned lanes : {32U, 4U}) {
      std::vector<std::uint16_t> words(3 * block.symbols.size() + kGuardWords);
      std::uint32_t states[kernels::kMaxLanes];
      std::fill_n(states, lanes, kernels::kStateLow);
      EXPECT_EQ(set().encodeDeltas(missing.data(), alphabet, block.contexts.data(),
                                   {block.symbols.data(), block.raw.data()}, block.symbols.size(),
                                   lanes, states, words.data() + words.size()),
                nullptr);
    }
  }
}

TEST_P(EveryRansCoder, BringsBackDifferencesAndEndsAsItBegan) {
  for (const std::size_t count : kOddCounts) {
    for (const DeltaBlock& block : blocksOf(count)) {
      std::vector<std::uint32_t> expected(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = deltaOf(block.symbols[i], block.raw[i]);
      for (const unsigned lanes : {32U, 4U}) {
        const Stream stream = encodeBlock(plain(), block, lanes);
        for (const std::size_t piece : {std::size_t{32}, std::size_t{4096}}) {
          const Decoded decoded = decodeBlock(set(), stream, block, lanes, piece);
          ASSERT_EQ(decoded.values, expected) << count << " values, " << lanes << " lanes";
          ASSERT_EQ(decoded.left, 0);
          ASSERT_EQ(decoded.states, std::vector<std::uint32_t>(lanes, kernels::kStateLow));
        }
      }
    }
  }
}

TEST_P(EveryRansCoder, DecodesDamagedStreamsAsThePlainLoopsDo) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    const DeltaBlock block = blocksOf(700)[static_cast<std::size_t>(round % 5)];
    const unsigned lanes = round % 3 == 0 ? 4 : 32;
    Stream stream = encodeBlock(plain(), block, lanes);
    for (int i = 0; i < 3; ++i)
      stream.states[random() % lanes] = static_cast<std::uint32_t>(random());
    for (int i = 0; i < 4; ++i) stream.words[random() % stream.words.size()] ^= std::byte{0x91};
    if (round % 2 == 0) stream.words.resize(1 + (stream.words.size() - 1) / 6 * 2);
    ASSERT_EQ(decodeBlock(set(), stream, block, lanes, 4096),
              decodeBlock(plain(), stream, block, lanes, 4096));
  }
}

/// Bytes with one table.
struct SymbolBlock {
  FrequencyTable table;
  std::vector<std::uint8_t> symbols;
};

SymbolBlock makeSymbols(std::size_t count, unsigned deviation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(128, deviation);
  SymbolBlock block;
  std::vector<std::uint32_t> counts(256);
  for (std::size_t i = 0; i < count; ++i) {
    block.symbols.push_back(static_cast<std::uint8_t>(std::clamp(normal(random), 0.0, 255.0)));
    ++counts[block.symbols.back()];
  }
  block.table = normalise(counts);
  return block;
}

Stream encodeSymbols(const CpuKernels& set, const SymbolBlock& block, unsigned lanes) {
  const auto entries = encoderTable({&block.table, 1});
  std::vector<std::uint16_t> words(block.symbols.size() + kGuardWords);
  std::uint32_t states[kernels::kMaxLanes];
  std::fill_n(states, lanes, kernels::kStateLow);
  std::uint16_t* end = words.data() + words.size();
  const std::uint16_t* from = set.encodeSymbols(entries.data(), block.symbols.data(),
                                                block.symbols.size(), lanes, states, end);
  return streamOf(states, lanes, from, end);
}

Decoded decodeSymbols(const CpuKernels& set, const Stream& stream, const SymbolBlock& block,
                      unsigned lanes, std::size_t piece) {
  const auto slots = decoderTable({&block.table, 1});
  kernels::RansDecoder decoder = decoderOf(stream, lanes);
  std::vector<std::uint8_t> symbols(block.symbols.size());
  for (std::size_t at = 0; at < symbols.size(); at += piece) {
    set.decodeSymbols(decoder, slots.data(), std::min(piece, symbols.size() - at),
                      symbols.data() + at);
  }
  return decodedBy(decoder, {symbols.begin(), symbols.end()});
}

TEST_P(EveryRansCoder, CodesPlainSymbolsAsThePlainLoopsDo) {
  for (const std::size_t count : kOddCounts) {
    for (const unsigned deviation : {1U, 12U, 60U}) {
      const SymbolBlock block = makeSymbols(count, deviation, static_cast<unsigned>(count));
      for (const unsigned lanes : {32U, 4U}) {
        const Stream stream = encodeSymbols(plain(), block, lanes);
        ASSERT_EQ(encodeSymbols(set(), block, lanes), stream);
        const Decoded decoded = decodeSymbols(set(), stream, block, lanes, 64);
        ASSERT_EQ(decoded.values,
                  std::vector<std::uint32_t>(block.symbols.begin(), block.symbols.end()));
        ASSERT_EQ(decoded.left, 0);
      }
    }
  }
}

TEST_P(EveryRansCoder, DecodesDamagedSymbolsAsThePlainLoopsDo) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const SymbolBlock block = makeSymbols(900, 20, static_cast<unsigned>(round));
    const unsigned lanes = round % 3 == 0 ? 4 : 32;
    Stream stream = encodeSymbols(plain(), block, lanes);
    stream.states[random() % lanes] = static_cast<std::uint32_t>(random());
    stream.words[random() % stream.words.size()] ^= std::byte{0x55};
    if (round % 2 == 0) stream.words.resize(1 + (stream.words.size() - 1) / 6 * 2);
    ASSERT_EQ(decodeSymbols(set(), stream, block, lanes, 4096),
              decodeSymbols(plain(), stream, block, lanes, 4096));
  }
}

/// What this program prints when it runs with another set of kernels.
std::string digestOf(const CpuKernels& set) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      std::string("STRATA_KERNELS=") + set.name + " '" + self + "' --payload-digest";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  char line[80] = {};
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe.get()) == nullptr) return "nothing";
  return std::string(line).substr(0, 64);
}

TEST_P(EveryRansCoder, MakesThePayloadsThatTheChosenSetMakes) {
  EXPECT_EQ(digestOf(set()), payloadDigest());
}

INSTANTIATE_TEST_SUITE_P(Rans, EveryRansCoder, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace

std::string payloadDigest() {
  Sha256 hash;
  for (const CodecCase& c : everyCodecCase()) {
    for (const Content content : kEveryContent) {
      const PartSample sample = makeSample(shapeOf(c.type, 21, 101), content, 41);
      hash.update(encodeSample(c.codec, sample.input()).value());
    }
  }
  for (const LossyCase& c : everyLossyCase()) {
    for (const Content content : kFiniteContent) {
      const PartSample sample = finiteSample(shapeOf(c.type, 21, 101), content, 42);
      const LossyPart part = encodeLossy(c.codec, sample.input(), c.settings).value();
      hash.update(part.payload);
      hash.update(part.restored);
    }
  }
  return toHex(hash.finish());
}

}  // namespace strata::test
