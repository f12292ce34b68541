#include <gtest/gtest.h>

#include <algorithm>

#include "core/archive/read/device_plan.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/lossy_codec.h"
#include "tests/conformance/codec_cases.h"
#include "tests/conformance/delta_plans.h"
#include "tests/conformance/device_test.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

using kernels::BlockState;
using kernels::DeviceFault;

/// What a device made of a part.
struct DeviceResult {
  Bytes words;
  std::vector<BlockState> states;  ///< of the blocks, in order
};

/// Decodes all blocks of an opened part over its parent's words, from `shift` bytes into the output
/// on.
DeviceResult decodeOnDevice(kernels::DeviceQueue& queue, const std::shared_ptr<OpenPart>& part,
                            std::span<const std::byte> parent, std::size_t shift) {
  DevicePlan plan(queue);
  if (!parent.empty()) {
    EXPECT_TRUE(plan.addBytes(shift, parent.size(), [&](std::span<std::byte> out) -> Result<void> {
      std::copy(parent.begin(), parent.end(), out.begin());
      return {};
    }));
  }
  const std::uint64_t blocks = part->decoder->deviceBlocks()->blockCount();
  plan.addBlocks(1, part, 0, blocks, shift);
  const kernels::DeviceBatch batch = plan.finish(shift + part->shape.byteCount());
  EXPECT_FALSE(plan.failed());
  EXPECT_EQ(queue.run(batch), DeviceFault::None);
  const auto out = queue.output().subspan(shift);
  const auto states = queue.states().last(blocks);
  return {{out.begin(), out.end()}, {states.begin(), states.end()}};
}

std::shared_ptr<OpenPart> opened(CodecId codec, const PartShape& shape,
                                 std::span<const std::byte> payload, bool hasParent,
                                 const SharedTables& shared = {}) {
  auto decoder = openPart(codec, shape, payload, hasParent, shared);
  if (!decoder) return nullptr;
  auto part = std::make_shared<OpenPart>();
  part->shape = shape;
  part->codec = codec;
  part->decoder = *std::move(decoder);
  if (hasParent) part->sources.emplace_back();
  return part;
}

/// Compares with the CPU's decoder, block by block, whether the payload is sound or not.
void expectSame(CodecId codec, const PartShape& shape, std::span<const std::byte> payload,
                std::span<const std::byte> parent, const SharedTables& shared = {}) {
  const auto part = opened(codec, shape, payload, !parent.empty(), shared);
  if (part == nullptr || part->decoder->deviceBlocks() == nullptr) return;
  for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
    const auto queue = makeDeviceQueue(shift != 0);
    ASSERT_NE(queue, nullptr);
    const DeviceResult found = decodeOnDevice(*queue, part, parent, shift);
    const std::uint64_t step = part->decoder->blockWords() * shape.word.bytes;
    for (std::size_t block = 0; block < found.states.size(); ++block) {
      const std::uint64_t at = block * step;
      const std::uint64_t n = std::min<std::uint64_t>(step, shape.byteCount() - at);
      Bytes out(n);
      const bool isSound =
          part->decoder->decodeBlock(block, parent.empty() ? parent : parent.subspan(at, n), out)
              .has_value();
      ASSERT_EQ(found.states[block] == BlockState::Good, isSound) << "block " << block;
      if (!isSound) continue;
      ASSERT_TRUE(sameBytes(std::span(found.words).subspan(at, n), out));
    }
  }
}

/// The same for a payload that is sound and that devices know.
void expectDecoded(CodecId codec, const PartShape& shape, std::span<const std::byte> payload,
                   std::span<const std::byte> parent, const SharedTables& shared = {}) {
  const auto part = opened(codec, shape, payload, !parent.empty(), shared);
  ASSERT_NE(part, nullptr);
  ASSERT_NE(part->decoder->deviceBlocks(), nullptr);
  expectSame(codec, shape, payload, parent, shared);
}

class EveryDeviceCodec : public DeviceTest, public testing::WithParamInterface<CodecCase> {
 protected:
  static void expectRoundTrip(std::uint64_t rows, std::uint64_t columns, Content content,
                              unsigned seed) {
    SCOPED_TRACE(nameOf(content) + " " + std::to_string(rows) + " x " + std::to_string(columns));
    const CodecId codec = GetParam().codec;
    const PartSample sample = makeSample(shapeOf(GetParam().type, rows, columns), content, seed);
    const auto payload = encodeSample(codec, sample.input());
    ASSERT_TRUE(payload);
    expectDecoded(codec, sample.shape, *payload, sample.parent);
    if (needsParent(codec)) return;
    const auto alone = encodeSample(codec, sample.alone());
    ASSERT_TRUE(alone);
    expectDecoded(codec, sample.shape, *alone, {});
  }
};

TEST_P(EveryDeviceCodec, DecodesAnyWordsAsTheCpuDoes) {
  for (const Content content : kEveryContent) expectRoundTrip(37, 353, content, 31);
}

TEST_P(EveryDeviceCodec, DecodesManyBlocksAsTheCpuDoes) {
  expectRoundTrip(401, 331, Content::FineTuned, 32);
  expectRoundTrip(1, (1 << 16) + 300, Content::OnePercent, 33);
}

TEST_P(EveryDeviceCodec, DecodesTallAndWidePartsAsTheCpuDoes) {
  expectRoundTrip(3000, 1, Content::FineTuned, 34);
  expectRoundTrip(2500, 3, Content::FineTuned, 35);
  expectRoundTrip(2, 9001, Content::OnePercent, 36);
  expectRoundTrip(600, 31, Content::FineTuned, 37);
}

TEST_P(EveryDeviceCodec, FindsDamageWhereTheCpuDoes) {
  const CodecId codec = GetParam().codec;
  const PartSample sample = makeSample(shapeOf(GetParam().type, 40, 61), Content::FineTuned, 38);
  const auto payload = encodeSample(codec, sample.input());
  ASSERT_TRUE(payload);
  Bytes broken = *payload;
  for (std::size_t at = 0; at < broken.size(); at += 1 + broken.size() / 150) {
    SCOPED_TRACE(at);
    broken[at] ^= std::byte{static_cast<std::uint8_t>(1U << at % 8)};
    expectSame(codec, sample.shape, broken, sample.parent);
    broken[at] = (*payload)[at];
  }
  for (std::size_t kept = 0; kept < broken.size(); kept += 1 + broken.size() / 50) {
    expectSame(codec, sample.shape, std::span(*payload).first(kept), sample.parent);
  }
}

std::vector<CodecCase> deviceCases() {
  std::vector<CodecCase> cases = everyCodecCase();
  std::erase_if(cases, [](const CodecCase& c) {
    return c.codec == CodecId::Raw || c.codec == CodecId::Zstd || c.codec == CodecId::ZstdView ||
           c.codec == CodecId::Sized;
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDeviceCodec, testing::ValuesIn(deviceCases()), caseName);

class EveryLossyDeviceCodec : public DeviceTest, public testing::WithParamInterface<LossyCase> {
 protected:
  static void expectRestored(std::uint64_t rows, std::uint64_t columns, Content content) {
    SCOPED_TRACE(nameOf(content) + " " + std::to_string(rows) + " x " + std::to_string(columns));
    const PartSample sample = finiteSample(shapeOf(GetParam().type, rows, columns), content, 39);
    for (const EncodeInput& input : {sample.input(), sample.alone()}) {
      const auto part = encodeLossy(GetParam().codec, input, GetParam().settings);
      ASSERT_TRUE(part) << part.error().message;
      expectDecoded(GetParam().codec, sample.shape, part->payload, input.parent);
    }
  }
};

TEST_P(EveryLossyDeviceCodec, DecodesAsTheCpuDoes) {
  for (const Content content : kFiniteContent) expectRestored(37, 53, content);
  expectRestored(3000, 1, Content::FineTuned);
  expectRestored(401, 331, Content::FineTuned);
}

TEST_P(EveryLossyDeviceCodec, FindsDamageWhereTheCpuDoes) {
  const PartSample sample = finiteSample(shapeOf(GetParam().type, 40, 61), Content::FineTuned, 40);
  const auto part = encodeLossy(GetParam().codec, sample.input(), GetParam().settings);
  ASSERT_TRUE(part) << part.error().message;
  Bytes broken = part->payload;
  for (std::size_t at = 0; at < broken.size(); at += 1 + broken.size() / 100) {
    SCOPED_TRACE(at);
    broken[at] ^= std::byte{static_cast<std::uint8_t>(1U << at % 8)};
    expectSame(GetParam().codec, sample.shape, broken, sample.parent);
    broken[at] = part->payload[at];
  }
}

std::vector<LossyCase> lossyDeviceCases() {
  std::vector<LossyCase> cases = everyLossyCase();
  std::erase_if(cases, [](const LossyCase& c) {
    return c.codec != CodecId::Levels && c.codec != CodecId::Patterns;
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLossyDeviceCodec, testing::ValuesIn(lossyDeviceCases()),
                         [](const auto& each) { return nameOf(each.param); });

class DeviceDecoding : public DeviceTest {};

TEST_F(DeviceDecoding, KnowsEveryFeatureOfDifferences) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    SCOPED_TRACE(feature.name);
    if (feature.sample.shape.byteCount() < kernels::kLeastDeviceBytes) continue;
    expectDecoded(feature.codec, feature.sample.shape, feature.payload, feature.sample.parent,
                  feature.shared);
  }
}

TEST_F(DeviceDecoding, ChecksumIsTheLibrarysForAnySize) {
  for (std::size_t size = kernels::kLeastDeviceBytes; size < 5000; size += 1 + size % 37) {
    Bytes words(size);
    for (std::size_t i = 0; i < size; ++i) {
      words[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    }
    const PartShape shape{wordFormat(ElementType::U8), 1, size};
    const auto payload = encodeSample(CodecId::Planes, {shape, words, {}});
    ASSERT_TRUE(payload);
    expectDecoded(CodecId::Planes, shape, *payload, {});
  }
}

}  // namespace
}  // namespace strata::test
