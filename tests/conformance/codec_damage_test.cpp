#include <gtest/gtest.h>

#include "tests/conformance/codec_cases.h"
#include "tests/conformance/damage_checks.h"
#include "tests/conformance/delta_plans.h"

namespace strata::test {
namespace {

class EveryCodecPayload : public testing::TestWithParam<CodecCase> {
 protected:
  void SetUp() override {
    sample_ = makeSample(shapeOf(GetParam().type, 7, 23), Content::FineTuned, 31);
    payload_ = encodeSample(GetParam().codec, sample_.input()).value();
    decode_ = [this](std::span<const std::byte> payload) {
      return decodeSample(GetParam().codec, sample_.shape, payload, sample_.parent);
    };
  }

  PartSample sample_;
  Bytes payload_;
  Decode decode_;
};

TEST_P(EveryCodecPayload, IsRejectedWhenCutAtAnyByte) { expectEveryCutRejected(payload_, decode_); }

TEST_P(EveryCodecPayload, IsRejectedWithBytesBehindIt) {
  Bytes longer = payload_;
  for (int i = 0; i < 8; ++i) {
    longer.push_back(std::byte{0});
    expectRejected(decode_(longer), std::to_string(longer.size()) + " bytes");
  }
}

TEST_P(EveryCodecPayload, GivesNoOtherWordsWhenAnyBitFlips) {
  expectNoFlipBelieved(payload_, decode_, sample_.words);
}

TEST_P(EveryCodecPayload, GivesNoOtherWordsWhenAByteIsZeroedOrFilled) {
  for (std::size_t i = 0; i < payload_.size(); ++i) {
    for (const std::byte value : {std::byte{0}, std::byte{0xff}}) {
      Bytes damaged = payload_;
      damaged[i] = value;
      const auto decoded = decode_(damaged);
      if (!decoded) continue;
      ASSERT_TRUE(sameBytes(*decoded, sample_.words)) << "byte " << i;
    }
  }
}

TEST_P(EveryCodecPayload, IsRejectedForAnotherShape) {
  for (const std::uint64_t columns : {std::uint64_t{1}, std::uint64_t{22}, std::uint64_t{24}}) {
    const PartShape other = shapeOf(GetParam().type, 7, columns);
    Bytes parent = sample_.parent;
    parent.resize(other.byteCount());
    expectRejected(decodeSample(GetParam().codec, other, payload_, parent),
                   std::to_string(columns) + " columns");
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCodecPayload, testing::ValuesIn(everyCodecCase()),
                         caseName);

TEST(DeltaPayload, HasEveryFeatureInTheseTests) {
  const auto features = everyDeltaFeature();
  EXPECT_FALSE(features[0].plan.terms.rows.empty());
  EXPECT_FALSE(features[0].plan.terms.columns.empty());
  EXPECT_EQ(features[1].codec, CodecId::Xor);
  EXPECT_EQ(features[2].plan.predictor.id(), PredictorId::Decay);
  EXPECT_EQ(features[3].plan.predictor.id(), PredictorId::LowRank);
  EXPECT_EQ(features[4].plan.predictor.id(), PredictorId::WideLowRank);
  EXPECT_EQ(features[5].plan.predictor.id(), PredictorId::WideLowRank);
  EXPECT_EQ(features[6].plan.shift, 13U);
  EXPECT_FALSE(features[7].shared.empty());
}

TEST(DeltaPayload, DecodesWithEveryFeature) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    SCOPED_TRACE(feature.name);
    const auto decoded = feature.decode(feature.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, feature.sample.words));
  }
}

TEST(DeltaPayload, IsRejectedWhenCutAtAnyByteWithEveryFeature) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    SCOPED_TRACE(feature.name);
    expectEveryCutRejected(feature.payload, [&](auto cut) { return feature.decode(cut); });
  }
}

TEST(DeltaPayload, GivesNoOtherWordsWhenAnyBitFlipsWithEveryFeature) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    SCOPED_TRACE(feature.name);
    expectNoFlipBelieved(
        feature.payload, [&](auto damaged) { return feature.decode(damaged); },
        feature.sample.words);
  }
}

TEST(DeltaPayload, IsRejectedWithReservedFlags) {
  for (const DeltaFeature& feature : everyDeltaFeature()) {
    for (int bit = 3; bit < 8; ++bit) {
      Bytes damaged = feature.payload;
      damaged[0] |= static_cast<std::byte>(1 << bit);
      expectRejected(feature.decode(damaged), feature.name + ", flag " + std::to_string(bit));
    }
  }
}

TEST(DeltaPayload, IsRejectedWithoutItsSharedTables) {
  const DeltaFeature feature = everyDeltaFeature().back();
  const auto decode = [&](const SharedTables& shared) {
    return decodeSample(feature.codec, feature.sample.shape, feature.payload, feature.sample.parent,
                        shared);
  };
  expectRejected(decode({}), "no tables");
  expectRejected(decode({feature.shared[0]}), "too few tables");
  const auto narrow = std::make_shared<const TableSet>(buildSharedTableSet(ContextCounts(64)));
  expectRejected(decode({narrow, narrow}), "tables of the narrow alphabet");
}

}  // namespace
}  // namespace strata::test
