#include "tests/support/lossy_samples.h"

#include <fstream>
#include <random>
#include <utility>

#include "core/codec/entropy/byte_io.h"

namespace strata::test {
namespace {

using Variants = std::vector<std::pair<std::string, LossySettings>>;

Variants variantsOf(CodecId codec) {
  switch (codec) {
    case CodecId::Exponent:
    case CodecId::Huffman:
      return {{"1bit", {.bits = 1}}, {"3bits", {.bits = 3}}, {"8bits", {.bits = 8}}};
    case CodecId::Rows:
      return {{"2bits", {.bits = 2}}, {"4bits", {.bits = 4}}, {"8bits", {.bits = 8}}};
    case CodecId::Sign:
      return {{"oneScale", {.rowScales = false}}, {"rowScales", {.rowScales = true}}};
    case CodecId::Bounded:
      return {{"coarse", {.maxError = 0.01}}, {"fine", {.maxError = 1e-5}}};
    case CodecId::Index:
      return {{"published", {.levelCount = 4}},
              {"rans", {.levelCount = 16, .publishedEntropy = false}},
              {"pruned", {.levelCount = 6, .pruneShare = 0.3, .protectShare = 0.05}}};
    case CodecId::Levels:
      return {{"coarse", {.step = 0.01}},
              {"fine", {.step = 1e-4, .deadZone = 0.5, .gain = 0}},
              {"factors", {.step = 0.005, .rank = 4}},
              {"sketch", {.levelCount = 7, .pruneShare = 0.3, .protectShare = 0.01}},
              {"zeroApart", {.levelCount = 15, .zeroApart = true, .pruneBelow = 0.01F}}};
    case CodecId::Patterns:
      return {{"short", {.patternLength = 24, .patternBasesLog2 = 3}},
              {"long", {.gain = 0.5, .patternLength = 512, .patternBasesLog2 = 1}},
              {"factors", {.patternLength = 64, .patternBasesLog2 = 2, .rank = 4}},
              {"factorsAlone", {.patternLength = 0, .rank = 8}}};
    case CodecId::Moments:
      return {{"signs", {.bits = 1}},
              {"dropped", {.bits = 0}},
              {"coarse", {.bits = 3}},
              {"fine", {.bits = 8}}};
    default:
      return {{"plain", {}}};
  }
}

}  // namespace

std::vector<float> normals(std::size_t count, double deviation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(normal(random));
  return values;
}

PartSample finiteSample(const PartShape& shape, Content content, unsigned seed) {
  PartSample sample = makeSample(shape, content, seed);
  const WordFormat& word = shape.word;
  const std::uint64_t infinity =
      ((std::uint64_t{1} << (8 * word.bytes - 1)) - 1) >> word.mantissaBits << word.mantissaBits;
  for (std::size_t i = 0; i < shape.wordCount(); ++i) {
    if ((wordAt(sample.words, word.bytes, i) & infinity) != infinity) continue;
    setWord(sample.words, word.bytes, i, wordAt(sample.parent, word.bytes, i));
  }
  return sample;
}

std::vector<LossyCase> everyLossyCase() {
  std::vector<LossyCase> cases;
  for (const CodecId codec : lossyCodecs()) {
    for (const ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
      for (const auto& [variant, settings] : variantsOf(codec)) {
        cases.push_back({codec, type, variant, settings});
      }
    }
  }
  return cases;
}

bool writeLossySamples(const std::string& folder) {
  for (const LossyCase& c : everyLossyCase()) {
    for (const Content content : kFiniteContent) {
      const PartSample sample = finiteSample({wordFormat(c.type), 31, 70}, content, 51);
      const auto part = encodeLossy(c.codec, sample.input(), c.settings);
      if (!part) return false;
      ByteWriter head;
      for (const std::uint64_t field : {std::uint64_t{static_cast<std::uint8_t>(c.codec)},
                                        std::uint64_t{static_cast<std::uint8_t>(c.type)},
                                        sample.shape.rows, sample.shape.columns}) {
        head.fixed(field);
      }
      ByteWriter file;
      for (const std::span<const std::byte> bytes :
           {head.view(), std::span<const std::byte>(sample.parent),
            std::span<const std::byte>(part->payload),
            std::span<const std::byte>(part->restored)}) {
        file.fixed(std::uint64_t{bytes.size()});
        file.bytes(bytes);
      }
      std::ofstream out(folder + "/" + nameOf(c) + "_" + nameOf(content), std::ios::binary);
      out.write(reinterpret_cast<const char*>(file.view().data()),
                static_cast<std::streamsize>(file.size()));
      if (!out.flush()) return false;
    }
  }
  return true;
}

}  // namespace strata::test
