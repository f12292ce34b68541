#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/conformance/codec_cases.h"
#include "tests/conformance/damage_checks.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

class EveryLossyCodec : public testing::TestWithParam<LossyCase> {
 protected:
  static PartSample sample(std::uint64_t rows, std::uint64_t columns, Content content,
                           unsigned seed) {
    return finiteSample(shapeOf(GetParam().type, rows, columns), content, seed);
  }
  static Result<LossyPart> encode(const EncodeInput& input) {
    return encodeLossy(GetParam().codec, input, GetParam().settings);
  }
  static Decode decoderOf(const PartSample& sample) {
    return [&sample](std::span<const std::byte> payload) {
      return decodeSample(GetParam().codec, sample.shape, payload, sample.parent);
    };
  }
  static void expectRestored(const PartSample& sample) {
    const auto part = encode(sample.input());
    ASSERT_TRUE(part) << part.error().message;
    const auto decoded = decoderOf(sample)(part->payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, part->restored));
  }
  static void expectInvalid(const EncodeInput& input) {
    const auto part = encode(input);
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
};

TEST_P(EveryLossyCodec, DecodesToWhatItSaid) {
  for (const Content content : kFiniteContent) {
    for (const auto& [rows, columns] : {std::pair<std::uint64_t, std::uint64_t>{37, 53},
                                        {1, 1},
                                        {1, 2},
                                        {3000, 1},
                                        {2, 9001},
                                        {401, 331}}) {
      SCOPED_TRACE(nameOf(content) + " " + std::to_string(rows) + " x " + std::to_string(columns));
      expectRestored(sample(rows, columns, content, 71));
    }
  }
}

TEST_P(EveryLossyCodec, DecodesWordsAroundABlockEdge) {
  for (const unsigned log2 : {16U, 20U}) {
    for (const std::uint64_t more : {-1, 0, 1}) {
      SCOPED_TRACE(std::to_string(log2) + " " + std::to_string(static_cast<int>(more)));
      expectRestored(sample(1, (std::uint64_t{1} << log2) + more, Content::FineTuned, 72));
    }
  }
}

TEST_P(EveryLossyCodec, DecodesBlocksInAnyOrder) {
  const PartSample part = sample(5, 262'147, Content::FineTuned, 73);
  const auto encoded = encode(part.input());
  ASSERT_TRUE(encoded);
  const auto decoder = openPart(GetParam().codec, part.shape, encoded->payload, true, {});
  ASSERT_TRUE(decoder) << decoder.error().message;
  const std::uint64_t step = (*decoder)->blockWords() * part.shape.word.bytes;
  for (std::uint64_t block = (part.words.size() + step - 1) / step; block-- > 0;) {
    const std::uint64_t at = block * step;
    const std::uint64_t n = std::min<std::uint64_t>(step, part.words.size() - at);
    Bytes out(n);
    const auto done = (*decoder)->decodeBlock(block, std::span(part.parent).subspan(at, n), out);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(sameBytes(out, std::span(encoded->restored).subspan(at, n))) << block;
  }
}

TEST_P(EveryLossyCodec, WritesTheSamePayloadTwice) {
  const PartSample part = sample(90, 70, Content::FineTuned, 74);
  EXPECT_EQ(encode(part.input())->payload, encode(part.input())->payload);
}

TEST_P(EveryLossyCodec, GivesNoWordsThatItDidNotSayForAnotherParent) {
  const PartSample part = sample(37, 53, Content::FineTuned, 75);
  const auto encoded = encode(part.input());
  ASSERT_TRUE(encoded);
  for (std::size_t i = 0; i < part.parent.size(); i += 97) {
    PartSample other = part;
    other.parent[i] ^= std::byte{0x44};
    const auto decoded = decoderOf(other)(encoded->payload);
    if (decoded) {
      ASSERT_TRUE(sameBytes(*decoded, encoded->restored)) << i;
    } else {
      ASSERT_EQ(decoded.error().code, ErrorCode::CorruptData);
    }
  }
}

TEST_P(EveryLossyCodec, TakesNoWordsThatAreNoNumbers) {
  PartSample part = sample(4, 9, Content::FineTuned, 76);
  const bool isWide = part.shape.word.bytes == 4;
  for (const std::uint64_t top : {0x7f80U, 0xff80U, 0x7fc0U}) {
    for (Bytes* side : {&part.words, &part.parent}) {
      if (side == &part.parent && GetParam().codec == CodecId::Moments) continue;  // not looked at
      const Bytes kept = *side;
      setWord(*side, part.shape.word.bytes, 17, isWide ? top << 16 : top);
      expectInvalid(part.input());
      *side = kept;
    }
  }
}

/// Values that overflow or vanish in a step of a codec.
std::vector<float> extremes() {
  using Limits = std::numeric_limits<float>;
  return {Limits::max(), Limits::lowest(),     2e19F,   -2e19F, 1e15F, -65504.0F, 60000.0F,
          Limits::min(), Limits::denorm_min(), -1e-40F, 6e-8F,  -0.0F};
}

/// Puts a value into some words of a side.
void put(Bytes& side, ElementType type, float value, std::size_t first, std::size_t step) {
  const Bytes word = wordsOf({value}, type);
  for (std::size_t at = first * word.size(); at < side.size(); at += step * word.size()) {
    std::copy(word.begin(), word.end(), side.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

TEST_P(EveryLossyCodec, TakesExtremesOrSaysThatItCannot) {
  for (const float value : extremes()) {
    if (GetParam().type == ElementType::F16 && std::fabs(value) > 65504) continue;
    for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{5000}}) {
      for (const unsigned sides : {1U, 2U, 3U, 4U}) {
        SCOPED_TRACE(std::to_string(value) + " every " + std::to_string(step) + " on " +
                     std::to_string(sides));
        PartSample part = sample(37, 53, Content::FineTuned, 82);
        if ((sides & 1) != 0) put(part.words, GetParam().type, value, 700, step);
        if ((sides & 2) != 0) put(part.parent, GetParam().type, value, 700, step);
        // The largest difference there is.
        if (sides == 4) put(part.words, GetParam().type, value, 0, step);
        if (sides == 4) put(part.parent, GetParam().type, -value, 0, step);
        const auto encoded = encode(part.input());
        if (!encoded) {
          EXPECT_EQ(encoded.error().code, ErrorCode::InvalidArgument) << encoded.error().message;
          continue;
        }
        const auto decoded = decoderOf(part)(encoded->payload);
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_TRUE(sameBytes(*decoded, encoded->restored));
      }
    }
  }
}

/// Root mean square of the errors of all words but one.
double errorWithout(std::size_t left, ElementType type, std::span<const std::byte> words,
                    std::span<const std::byte> restored) {
  const std::vector<float> wanted = valuesOf(words, type);
  const std::vector<float> found = valuesOf(restored, type);
  double squares = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double off = double{wanted[i]} - double{found[i]};
    if (i != left) squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(wanted.size()));
}

TEST_P(EveryLossyCodec, DoesNotRuinTheOtherWordsForAnExtreme) {
  constexpr std::size_t kAt = 700;
  const PartSample usual = sample(37, 53, Content::FineTuned, 83);
  const auto quantized = encode(usual.input());
  ASSERT_TRUE(quantized);
  const double before = errorWithout(kAt, GetParam().type, usual.words, quantized->restored);
  for (const float value : extremes()) {
    if (GetParam().type == ElementType::F16 && std::fabs(value) > 65504) continue;
    if (std::fabs(value) < 1) continue;  // the word changes by no more than itself
    PartSample part = usual;
    put(part.words, GetParam().type, value, kAt, part.shape.wordCount());
    const auto encoded = encode(part.input());
    if (!encoded) continue;  // kept exact
    EXPECT_LE(errorWithout(kAt, GetParam().type, part.words, encoded->restored),
              1.5 * before + 1e-6)
        << value;
  }
}

TEST_P(EveryLossyCodec, NeedsFloatsAndPerhapsAParent) {
  const PartSample part = sample(4, 9, Content::FineTuned, 77);
  if (needsParent(GetParam().codec)) expectInvalid(part.alone());
  const PartSample integers = makeSample(shapeOf(ElementType::I32, 4, 9), Content::FineTuned, 78);
  expectInvalid(integers.input());
  const auto payload = encode(part.input())->payload;
  for (const ElementType type : {ElementType::I32, ElementType::F64, ElementType::U8}) {
    const auto opened = openPart(GetParam().codec, shapeOf(type, 4, 9), payload, true, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
  if (!needsParent(GetParam().codec)) return;
  const auto alone = openPart(GetParam().codec, part.shape, payload, false, {});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::CorruptData);
}

TEST_P(EveryLossyCodec, RejectsDamagedPayloads) {
  const PartSample part = sample(7, 23, Content::FineTuned, 79);
  const auto encoded = encode(part.input());
  ASSERT_TRUE(encoded);
  const Decode decode = decoderOf(part);
  expectEveryCutRejected(encoded->payload, decode);
  // Low bits of a value may not change the word that it rounds to, nor those of a codebook an
  // index.
  expectNoFlipBelieved(encoded->payload, decode, encoded->restored, 3);
  Bytes longer = encoded->payload;
  for (int i = 0; i < 8; ++i) {
    longer.push_back(std::byte{0});
    expectRejected(decode(longer), std::to_string(longer.size()) + " bytes");
  }
}

TEST_P(EveryLossyCodec, RejectsPayloadsOfAnotherShape) {
  const PartSample part = sample(7, 23, Content::FineTuned, 80);
  const auto encoded = encode(part.input());
  ASSERT_TRUE(encoded);
  for (const std::uint64_t columns : {std::uint64_t{1}, std::uint64_t{22}, std::uint64_t{24}}) {
    const PartShape other = shapeOf(GetParam().type, 7, columns);
    Bytes parent = part.parent;
    parent.resize(other.byteCount());
    expectRejected(decodeSample(GetParam().codec, other, encoded->payload, parent),
                   std::to_string(columns) + " columns");
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLossyCodec, testing::ValuesIn(everyLossyCase()),
                         [](const auto& c) { return nameOf(c.param); });

TEST(LossyCodecs, HaveANameAndANumber) {
  for (const CodecId codec : lossyCodecs()) {
    EXPECT_EQ(codecFromName(name(codec)), codec);
    EXPECT_EQ(codecFromStored(static_cast<std::uint32_t>(codec)), codec);
    EXPECT_TRUE(isLossy(codec));
  }
  for (const CodecId codec : payloadCodecs()) EXPECT_FALSE(isLossy(codec));
}

TEST(LossyCodecs, AreNoExactOnes) {
  const PartSample part = makeSample(shapeOf(ElementType::F32, 2, 2), Content::FineTuned, 81);
  const auto encoded = encodeLossy(CodecId::Integer, part.input(), {});
  ASSERT_FALSE(encoded);
  EXPECT_EQ(encoded.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace strata::test
