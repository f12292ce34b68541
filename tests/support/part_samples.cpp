#include "tests/support/part_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "core/codec/exact/plain_codecs.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/words/cast.h"

namespace strata::test {
namespace {

using Random = std::mt19937_64;

std::uint64_t maskOf(const WordFormat& word) {
  return word.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * word.bytes)) - 1;
}

/// A weight of a trained model, as near as the format comes to it.
std::uint64_t plausibleWord(const WordFormat& word, Random& random) {
  std::normal_distribution<double> normal(0, 0.05);
  const double value = normal(random);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!word.isFloat) return static_cast<std::uint64_t>(std::llround(value * 400)) & maskOf(word);
  if (word.bytes == 8) return std::bit_cast<std::uint64_t>(value);
  if (word.bytes == 4) return single;
  if (word.bytes == 1) return (single >> 24 & 0x80) | (0x20 + random() % 24);
  std::uint16_t half = 0;
  castWords(ElementType::F32, std::as_bytes(std::span(&single, 1)),
            word.mantissaBits == 7 ? ElementType::BF16 : ElementType::F16,
            std::as_writable_bytes(std::span(&half, 1)));
  return half;
}

/// Steps of a fine-tune: a few of the last places of what the format keeps.
std::uint64_t movedWord(const WordFormat& word, std::uint64_t from, Random& random) {
  const unsigned bits = word.bytes == 1 ? 1 : word.bytes == 2 ? 3 : word.isFloat ? 14 : 4;
  std::normal_distribution<double> normal(0, std::ldexp(1.0, static_cast<int>(bits)));
  const auto step = static_cast<std::uint64_t>(std::llround(normal(random)));
  return (from + (step == 0 ? 1 : step)) & maskOf(word);
}

std::uint64_t specialWord(const WordFormat& word, Random& random) {
  const std::uint64_t all = maskOf(word);
  const std::uint64_t top = all ^ (all >> 1);
  if (!word.isFloat) {
    const std::array<std::uint64_t, 6> words{0, 1, all, top, all >> 1, top + 1};
    return words[random() % words.size()];
  }
  const std::uint64_t one = std::uint64_t{1} << word.mantissaBits;
  const std::uint64_t infinity = (all >> 1) & ~(one - 1);
  const std::array<std::uint64_t, 9> words{0,
                                           1,
                                           one - 1,
                                           one,
                                           infinity - 1,
                                           infinity,
                                           infinity + 1,
                                           infinity + one / 2,
                                           infinity | (random() & (one - 1))};
  return words[random() % words.size()] | (random() % 2 == 0 ? 0 : top);
}

std::uint64_t variantWord(const WordFormat& word, Content content, std::uint64_t from,
                          std::uint64_t constant, Random& random) {
  const std::uint64_t all = maskOf(word);
  switch (content) {
    case Content::Random:
      return random() & all;
    case Content::Constant:
      return constant;
    case Content::EqualToParent:
      return from;
    case Content::FineTuned:
      return movedWord(word, from, random);
    case Content::OnePercent:
      return random() % 100 == 0 ? movedWord(word, from, random) : from;
    case Content::Specials:
      return specialWord(word, random);
    case Content::SignsFlipped:
      return from ^ (random() & (all ^ (all >> 2)));
  }
  return 0;
}

}  // namespace

std::string nameOf(Content content) {
  constexpr std::array<const char*, 7> kNames{
      "Random", "Constant", "EqualToParent", "FineTuned", "OnePercent", "Specials", "SignsFlipped"};
  return kNames[static_cast<std::size_t>(content)];
}

PartSample makeSample(const PartShape& shape, Content content, unsigned seed) {
  Random random(seed);
  PartSample sample{shape, Bytes(shape.byteCount()), Bytes(shape.byteCount())};
  const WordFormat& word = shape.word;
  const std::uint64_t constant = plausibleWord(word, random);
  const bool isWild = content == Content::Random;
  for (std::size_t i = 0; i < shape.wordCount(); ++i) {
    const std::uint64_t from = isWild ? random() & maskOf(word)
                               : content == Content::Specials && i % 3 == 0
                                   ? specialWord(word, random)
                                   : plausibleWord(word, random);
    setWord(sample.parent, word.bytes, i, from);
    setWord(sample.words, word.bytes, i, variantWord(word, content, from, constant, random));
  }
  return sample;
}

std::vector<ElementType> typesOfEveryWordFormat() {
  std::vector<ElementType> types;
  std::vector<WordFormat> formats;
  for (std::uint32_t stored = 0;; ++stored) {
    const auto type = elementTypeFromStored(stored);
    if (!type) return types;
    if (std::ranges::find(formats, wordFormat(*type)) != formats.end()) continue;
    formats.push_back(wordFormat(*type));
    types.push_back(*type);
  }
}

std::optional<Bytes> encodeSample(CodecId codec, const EncodeInput& input) {
  const bool hasParent = !input.parent.empty();
  switch (codec) {
    case CodecId::Raw:
      return encodeRaw(input);
    case CodecId::Zstd:
      return encodeZstd(input, 3);
    case CodecId::ZstdView:
      if (!hasParent) return std::nullopt;
      return encodeZstdView(input, 3);
    case CodecId::Planes:
      return encodePlanes(input, hasParent ? PlanesOf::Difference : PlanesOf::Words);
    case CodecId::Integer:
    case CodecId::Xor: {
      if (!hasParent || !deltaCodable(input.shape.word)) return std::nullopt;
      const DeltaPlan plan = planDelta(input, {}, codec);
      return encodeDelta(input, plan, nullptr, 0);
    }
    case CodecId::Sized:
      if (!sizedCodable(input.shape.word)) return std::nullopt;
      return encodeSized(input, planSized(input));
    default:
      return std::nullopt;
  }
}

Result<Bytes> decodeSample(CodecId codec, const PartShape& shape,
                           std::span<const std::byte> payload, std::span<const std::byte> parent,
                           const SharedTables& shared, std::span<const Bytes> further) {
  const std::size_t sources = parent.empty() ? 0 : 1 + further.size();
  STRATA_TRY(const auto decoder, openPart(codec, shape, payload, sources, shared));
  Bytes out(shape.byteCount());
  const std::uint64_t step = decoder->blockWords() * shape.word.bytes;
  for (std::uint64_t at = 0, block = 0; at < out.size(); at += step, ++block) {
    const std::uint64_t n = std::min<std::uint64_t>(step, out.size() - at);
    BlockSources from = parent.empty() ? parent : parent.subspan(at, n);
    std::vector<std::span<const std::byte>> others;
    for (const Bytes& one : further) others.push_back(std::span(one).subspan(at, n));
    from.further = others;
    STRATA_TRY(decoder->decodeBlock(block, from, std::span(out).subspan(at, n)));
  }
  return out;
}

Bytes wordsOf(const std::vector<float>& values, ElementType type) {
  Bytes words(values.size() * wordFormat(type).bytes);
  castWords(ElementType::F32, std::as_bytes(std::span(values)), type, words);
  return words;
}

std::vector<float> valuesOf(std::span<const std::byte> words, ElementType type) {
  std::vector<float> values(words.size() / wordFormat(type).bytes);
  castWords(type, words, ElementType::F32, std::as_writable_bytes(std::span(values)));
  return values;
}

std::uint64_t wordAt(std::span<const std::byte> words, std::size_t wordBytes, std::size_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + index * wordBytes, wordBytes);
  return word;
}

void setWord(std::span<std::byte> words, std::size_t wordBytes, std::size_t index,
             std::uint64_t word) {
  std::memcpy(words.data() + index * wordBytes, &word, wordBytes);
}

double entropyOf(const std::vector<double>& counts) {
  double total = 0;
  double bits = 0;
  for (const double count : counts) {
    if (count <= 0) continue;
    total += count;
    bits -= count * std::log2(count);
  }
  return total > 0 ? bits + total * std::log2(total) : 0;
}

::testing::AssertionResult sameBytes(std::span<const std::byte> found,
                                     std::span<const std::byte> expected) {
  if (found.size() != expected.size()) {
    return ::testing::AssertionFailure() << found.size() << " bytes, expected " << expected.size();
  }
  const auto [at, other] = std::ranges::mismatch(found, expected);
  if (at == found.end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << fmt::format("byte {} of {} is {:02x}, expected {:02x}", at - found.begin(),
                        found.size(), std::to_integer<int>(*at), std::to_integer<int>(*other));
}

}  // namespace strata::test
