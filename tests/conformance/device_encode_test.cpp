#include <algorithm>

#include "core/codec/device/device_encoder.h"
#include "tests/conformance/codec_cases.h"
#include "tests/conformance/delta_plans.h"
#include "tests/conformance/device_test.h"

namespace strata::test {
namespace {

using kernels::DeviceFault;

/// What `add` spends at each effort.
constexpr DeltaEffort kFast{.searchDecay = false,
                            .searchTerms = false,
                            .searchAdapters = false,
                            .searchPredictors = false,
                            .countAll = false};
constexpr DeltaEffort kDefault{.searchPredictors = false};
constexpr DeltaEffort kBest{.searchLowRank = true};

/// Payloads that a device helped with are those of the CPU.
void expectSamePayload(const PartSample& sample, const DeltaEffort& effort,
                       std::optional<CodecId> wish) {
  const EncodeInput input = sample.input();
  const PlannedDelta expected = planAndEncodeDelta(input, effort, wish);
  for (const bool backwards : {false, true}) {
    const auto queue = makeDeviceQueue(backwards);
    ASSERT_NE(queue, nullptr);
    DeviceEncoder device(*queue, input);
    const PlannedDelta found = planAndEncodeDelta(input, effort, wish, &device);
    EXPECT_EQ(device.fault(), DeviceFault::None);
    EXPECT_FALSE(queue->streamBytes().empty()) << "the device encoded nothing";
    EXPECT_EQ(found.plan.codec, expected.plan.codec);
    ASSERT_TRUE(sameBytes(found.payload, expected.payload));
  }
}

/// A device's blocks for a plan, behind their index.
Bytes blocksOf(DeviceEncoder& device, const DeltaPlan& plan, const TableSet& tables,
               unsigned blockLog2) {
  BlockIndexWriter index(blockLog2);
  const DeltaForm form{plan.codec, plan.shift, plan.predictor, plan.terms};
  if (!device.encode(form, tables, blockLog2, index)) return {};
  ByteWriter out;
  index.write(out);
  return out.take();
}

bool endsWith(const Bytes& bytes, const Bytes& end) {
  return bytes.size() >= end.size() && std::equal(end.rbegin(), end.rend(), bytes.rbegin());
}

class EveryDeviceDelta : public DeviceTest, public testing::WithParamInterface<CodecCase> {
 protected:
  static void expectSame(std::uint64_t rows, std::uint64_t columns, Content content,
                         const DeltaEffort& effort) {
    SCOPED_TRACE(nameOf(content) + " " + std::to_string(rows) + " x " + std::to_string(columns));
    const PartSample sample = makeSample(shapeOf(GetParam().type, rows, columns), content, 51);
    expectSamePayload(sample, effort, GetParam().codec);
  }
};

TEST_P(EveryDeviceDelta, EncodesAnyWordsAsTheCpuDoes) {
  for (const Content content : kEveryContent) {
    for (const DeltaEffort& effort : {kFast, kDefault}) expectSame(37, 353, content, effort);
  }
}

TEST_P(EveryDeviceDelta, EncodesOddShapesAsTheCpuDoes) {
  for (const auto& [rows, columns] : {std::pair{1, 1},
                                      {1, 3},
                                      {1, 31},
                                      {5, 7},
                                      {3000, 1},
                                      {2500, 3},
                                      {600, 31},
                                      {2, 8191},
                                      {1, 16385}}) {
    const auto r = static_cast<std::uint64_t>(rows);
    const auto c = static_cast<std::uint64_t>(columns);
    expectSame(r, c, Content::FineTuned, kDefault);
    expectSame(r, c, Content::Random, kDefault);
  }
}

TEST_P(EveryDeviceDelta, EncodesManyBlocksAsTheCpuDoes) {
  expectSame(401, 331, Content::FineTuned, kDefault);
  expectSame(401, 331, Content::Random, kDefault);
  expectSame(1, (1 << 16) + 300, Content::OnePercent, kDefault);
  expectSame(331, 401, Content::EqualToParent, kFast);
}

std::vector<CodecCase> deltaCases() {
  std::vector<CodecCase> cases = everyCodecCase();
  std::erase_if(cases, [](const CodecCase& c) { return !needsParent(c.codec); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDeviceDelta, testing::ValuesIn(deltaCases()), caseName);

class DeviceEncoding : public DeviceTest {};

TEST_F(DeviceEncoding, KnowsEveryFeatureOfDifferences) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    SCOPED_TRACE(feature.name);
    const auto queue = makeDeviceQueue(true);
    ASSERT_NE(queue, nullptr);
    const EncodeInput input = feature.sample.input();
    DeviceEncoder device(*queue, input);
    const DeltaPlan& plan = feature.plan;
    const auto counts = device.count({plan.codec, plan.shift, plan.predictor, plan.terms});
    ASSERT_TRUE(counts);
    for (std::size_t c = 0; c < kContexts; ++c) {
      EXPECT_TRUE(std::ranges::equal(counts->of(c), plan.counts.of(c))) << "context " << c;
    }
    const TableSet& tables = feature.shared.empty() ? plan.tables : *feature.shared[1];
    const Bytes blocks = blocksOf(device, plan, tables, kMinBlockLog2);
    ASSERT_FALSE(blocks.empty());
    EXPECT_TRUE(endsWith(feature.payload, blocks));
  }
}

TEST_F(DeviceEncoding, SearchesAsTheCpuDoes) {
  expectSamePayload(decayedSample(ElementType::BF16, 300, 240), kDefault, {});
  expectSamePayload(decayedSample(ElementType::F32, 300, 240), kBest, {});
  expectSamePayload(lowRankSample(ElementType::F32, 100, 144, 2, 0.002F), kBest, {});
  expectSamePayload(zeroLowBitsSample(120, 140, 13), kDefault, {});
  expectSamePayload(makeSample(shapeOf(ElementType::BF16, 500, 300), Content::OnePercent, 52),
                    kDefault, {});
}

TEST_F(DeviceEncoding, FindsNoPlaceForASymbolWhereTheCpuDoes) {
  PartSample sample = makeSample(shapeOf(ElementType::F32, 1024, 1024), Content::FineTuned, 53);
  for (const std::size_t i : {std::size_t{128}, std::size_t{640 * 128 + 128 + 5}}) {
    setWord(sample.words, 4, i, 0x7f000000);  // beside the sampled pieces
  }
  expectSamePayload(sample, kFast, CodecId::Integer);
}

TEST_F(DeviceEncoding, LeavesTheIndexAsItWasWhereASymbolHasNoPlace) {
  const PartSample still =
      makeSample(shapeOf(ElementType::F16, 40, 90), Content::EqualToParent, 54);
  const PartSample moved = makeSample(shapeOf(ElementType::F16, 40, 90), Content::Random, 54);
  DeltaPlan plan = planDelta(still.input(), kDefault, CodecId::Integer);
  ASSERT_EQ(plan.tables.tables.size(), 1U) << "a table of one symbol was meant";
  const auto queue = makeDeviceQueue(false);
  const EncodeInput input = moved.input();
  DeviceEncoder device(*queue, input);
  plan.terms = {};
  EXPECT_TRUE(blocksOf(device, plan, plan.tables, kMinBlockLog2).empty());
  EXPECT_EQ(device.fault(), DeviceFault::None);
}

TEST(HostDeviceEncoding, LeavesTheRestToTheCpuOnceMemoryRunsOut) {
  const PartSample sample = makeSample(shapeOf(ElementType::BF16, 90, 90), Content::FineTuned, 55);
  const EncodeInput input = sample.input();
  const auto expected = planAndEncodeDelta(input, kDefault, {}).payload;
  for (const HostEngineOptions& options :
       {HostEngineOptions{.mostInputBytes = 90 * 90 * 2}, HostEngineOptions{.mostRuns = 0},
        HostEngineOptions{.mostRuns = 1}}) {
    const auto queue = hostEngine(options)->makeQueue();
    DeviceEncoder device(*queue, input);
    EXPECT_EQ(planAndEncodeDelta(input, kDefault, {}, &device).payload, expected);
    EXPECT_EQ(device.fault(), DeviceFault::OutOfMemory);
  }
}

}  // namespace
}  // namespace strata::test
