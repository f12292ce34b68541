#include <gtest/gtest.h>

#include "tests/conformance/codec_cases.h"

namespace strata::test {
namespace {

class EveryCodec : public testing::TestWithParam<CodecCase> {
 protected:
  static CodecId codec() { return GetParam().codec; }
  static PartShape shape(std::uint64_t rows, std::uint64_t columns) {
    return shapeOf(GetParam().type, rows, columns);
  }

  static void expectRoundTrip(const PartSample& sample, const EncodeInput& input) {
    const auto payload = encodeSample(codec(), input);
    ASSERT_TRUE(payload);
    const auto decoded = decodeSample(codec(), sample.shape, *payload, input.parent);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, sample.words));
  }

  static void expectRoundTrip(const PartSample& sample) {
    expectRoundTrip(sample, sample.input());
    if (!needsParent(codec())) expectRoundTrip(sample, sample.alone());
  }
};

class EveryDifferenceCodec : public EveryCodec {};

TEST_P(EveryCodec, BringsBackAnyWords) {
  for (const Content content : kEveryContent) {
    SCOPED_TRACE(nameOf(content));
    expectRoundTrip(makeSample(shape(37, 53), content, 11));
  }
}

TEST_P(EveryCodec, BringsBackWordsOfManyBlocks) {
  for (const Content content : {Content::Random, Content::OnePercent, Content::SignsFlipped}) {
    SCOPED_TRACE(nameOf(content));
    expectRoundTrip(makeSample(shape(401, 331), content, 12));
  }
}

TEST_P(EveryCodec, BringsBackOneElement) {
  for (const Content content : kEveryContent) {
    for (unsigned seed = 0; seed < 9; ++seed) {
      SCOPED_TRACE(nameOf(content) + " " + std::to_string(seed));
      expectRoundTrip(makeSample(shape(1, 1), content, seed));
    }
  }
}

TEST_P(EveryCodec, BringsBackWordsAroundABlockEdge) {
  constexpr std::uint64_t kBlock = 1 << 16;
  for (const std::uint64_t count : {kBlock - 1, kBlock, kBlock + 1}) {
    SCOPED_TRACE(count);
    expectRoundTrip(makeSample(shape(1, count), Content::FineTuned, 13));
  }
}

TEST_P(EveryCodec, BringsBackTallAndWideParts) {
  for (const auto& [rows, columns] : {std::pair<std::uint64_t, std::uint64_t>{3000, 1},
                                      {2500, 3},
                                      {2, 9001},
                                      {1, 5000},
                                      {700, 129},
                                      {16, 4096}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    expectRoundTrip(makeSample(shape(rows, columns), Content::FineTuned, 14));
    expectRoundTrip(makeSample(shape(rows, columns), Content::OnePercent, 15));
  }
}

TEST_P(EveryCodec, DecodesBlocksInAnyOrder) {
  const PartSample sample = makeSample(shape(3, 65'537), Content::FineTuned, 16);
  const auto payload = encodeSample(codec(), sample.input());
  ASSERT_TRUE(payload);
  const auto decoder = openPart(codec(), sample.shape, *payload, true, {});
  ASSERT_TRUE(decoder) << decoder.error().message;
  const std::uint64_t step = (*decoder)->blockWords() * sample.shape.word.bytes;
  const std::uint64_t blocks = (sample.words.size() + step - 1) / step;
  for (std::uint64_t block = blocks; block-- > 0;) {
    const std::uint64_t at = block * step;
    const std::uint64_t n = std::min<std::uint64_t>(step, sample.words.size() - at);
    Bytes out(n);
    const auto done = (*decoder)->decodeBlock(block, std::span(sample.parent).subspan(at, n), out);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(sameBytes(out, std::span(sample.words).subspan(at, n))) << "block " << block;
  }
}

TEST_P(EveryCodec, WritesTheSamePayloadTwice) {
  const PartSample sample = makeSample(shape(90, 70), Content::FineTuned, 17);
  EXPECT_EQ(encodeSample(codec(), sample.input()), encodeSample(codec(), sample.input()));
}

TEST_P(EveryDifferenceCodec, FindsAnotherParent) {
  // A frame may get along without the view's words where it repeats none of them.
  const bool repeats = codec() == CodecId::ZstdView;
  const PartSample sample =
      makeSample(shape(37, 53), repeats ? Content::EqualToParent : Content::FineTuned, 18);
  const auto payload = encodeSample(codec(), sample.input());
  ASSERT_TRUE(payload);
  Bytes other = sample.parent;
  other[other.size() / 2] ^= std::byte{1};
  const auto decoded = decodeSample(codec(), sample.shape, *payload, other);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::CorruptData);
}

TEST_P(EveryDifferenceCodec, AsksForTheParentItNeeds) {
  const PartSample sample = makeSample(shape(3, 5), Content::FineTuned, 19);
  const auto payload = encodeSample(codec(), sample.input());
  ASSERT_TRUE(payload);
  const auto opened = openPart(codec(), sample.shape, *payload, false, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
}

TEST_P(EveryCodec, StaysNearTheSizeOfIncompressibleWords) {
  const PartSample sample = makeSample(shape(256, 300), Content::Random, 20);
  const auto payload = encodeSample(codec(), sample.input());
  ASSERT_TRUE(payload);
  // Signed bytes are widened before their bits are compared, and all copies of the sign differ.
  const bool isWidened = codec() == CodecId::Xor && sample.shape.word.bytes == 1;
  EXPECT_LT(payload->size(), sample.words.size() * (isWidened ? 150 : 106) / 100 + 4096);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCodec, testing::ValuesIn(everyCodecCase()), caseName);

std::vector<CodecCase> differenceCases() {
  std::vector<CodecCase> cases = everyCodecCase();
  std::erase_if(cases, [](const CodecCase& c) { return !needsParent(c.codec); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDifferenceCodec, testing::ValuesIn(differenceCases()),
                         caseName);

TEST(CodecRegistry, GivesEveryCodecANameAndANumber) {
  for (const CodecId codec : payloadCodecs()) {
    EXPECT_EQ(codecFromName(name(codec)), codec);
    EXPECT_EQ(codecFromStored(static_cast<std::uint32_t>(codec)), codec);
  }
  EXPECT_EQ(codecFromName("same"), CodecId::Same);
  EXPECT_FALSE(codecFromName("Integer"));
  EXPECT_EQ(codecFromStored(12), CodecId::ZstdView);
  EXPECT_EQ(codecFromStored(13), CodecId::Moments);
  EXPECT_EQ(codecFromStored(14), CodecId::Rows);
  EXPECT_EQ(codecFromStored(15), CodecId::Huffman);
  EXPECT_EQ(codecFromStored(16), CodecId::Sized);
  EXPECT_FALSE(codecFromStored(17));
  EXPECT_FALSE(codecFromStored(0xffffffff));
}

TEST(CodecRegistry, OpensNoPayloadOfSame) {
  const auto opened = openPart(CodecId::Same, shapeOf(ElementType::F32, 2, 2), {}, true, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
}

TEST(CodecRegistry, RefusesDifferencesOfEightByteWords) {
  const Bytes payload(64);
  for (const CodecId codec : {CodecId::Integer, CodecId::Xor}) {
    const auto opened = openPart(codec, shapeOf(ElementType::F64, 2, 2), payload, true, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
}

}  // namespace
}  // namespace strata::test
