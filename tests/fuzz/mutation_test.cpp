// A few thousand damaged inputs, the same ones every time: what the fuzzers begin with.

#include <gtest/gtest.h>

#include "core/codec/entropy/byte_io.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/stored_targets.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

std::vector<PartSample> payloadSamples() {
  std::vector<PartSample> samples;
  for (const ElementType type : {ElementType::F32, ElementType::BF16, ElementType::F8E4M3FN,
                                 ElementType::I32, ElementType::U64}) {
    for (const Content content : {Content::FineTuned, Content::OnePercent, Content::Constant}) {
      samples.push_back(makeSample({wordFormat(type), 12, 40}, content, 61));
    }
  }
  return samples;
}

TEST(MutatedPayload, GivesAnErrorOrTheWordsItHad) {
  Mutator mutator(62);
  for (const PartSample& sample : payloadSamples()) {
    for (const CodecId codec : payloadCodecs()) {
      const auto payload = encodeSample(codec, sample.input());
      if (!payload) continue;
      for (int round = 0; round < 150; ++round) {
        Bytes damaged = *payload;
        mutator.mutate(damaged);
        const auto decoded = decodeSample(codec, sample.shape, damaged, sample.parent);
        if (decoded) {
          ASSERT_TRUE(sameBytes(*decoded, sample.words)) << name(codec) << ", round " << round;
        } else {
          ASSERT_EQ(decoded.error().code, ErrorCode::CorruptData) << decoded.error().message;
        }
      }
    }
  }
}

TEST(MutatedLossyPayload, GivesAnErrorOrTheWordsItHad) {
  Mutator mutator(67);
  for (const LossyCase& c : everyLossyCase()) {
    for (const Content content : {Content::FineTuned, Content::OnePercent}) {
      const PartSample sample = finiteSample({wordFormat(c.type), 12, 40}, content, 68);
      const LossyPart part = encodeLossy(c.codec, sample.input(), c.settings).value();
      for (int round = 0; round < 400; ++round) {
        Bytes damaged = part.payload;
        mutator.mutate(damaged);
        const auto decoded = decodeSample(c.codec, sample.shape, damaged, sample.parent);
        if (decoded) {
          ASSERT_TRUE(sameBytes(*decoded, part.restored)) << nameOf(c) << ", round " << round;
        } else {
          ASSERT_EQ(decoded.error().code, ErrorCode::CorruptData) << decoded.error().message;
        }
        ByteWriter any;
        for (int i = 0; i < 8; ++i) any.byte(static_cast<std::uint8_t>(mutator.below(256)));
        any.bytes(damaged);
        EXPECT_EQ(brokenByPayload(any.view()), "");
      }
    }
  }
}

TEST(MutatedPayload, DoesNoHarmWhateverItIsOpenedAs) {
  Mutator mutator(63);
  for (const PartSample& sample : payloadSamples()) {
    for (const CodecId codec : payloadCodecs()) {
      const auto payload = encodeSample(codec, sample.input());
      if (!payload) continue;
      for (int round = 0; round < 40; ++round) {
        ByteWriter bytes;
        for (int i = 0; i < 8; ++i) bytes.byte(static_cast<std::uint8_t>(mutator.below(256)));
        bytes.bytes(*payload);
        Bytes damaged = bytes.take();
        mutator.mutate(damaged);
        EXPECT_EQ(brokenByPayload(damaged), "");
      }
    }
  }
}

class MutatedManifest : public testing::Test {
 protected:
  void TearDown() override {
    if (kMeasuresMemory) {
      EXPECT_LT(peakMemory(), std::uint64_t{1} << 30);
    }
  }

  void expectNothingBelieved(const Manifest& manifest) const {
    const auto files = restoreForged(pair_, manifest);
    if (!files) {
      EXPECT_NE(files.error().code, ErrorCode::Internal) << files.error().message;
      return;
    }
    // What it restored has the digests that the manifest names: who forges those, too, gets
    // a model of his own, not a wrong one of ours.
    for (const archive::File& file : manifest.files()) {
      const auto bytes = std::as_bytes(std::span(files->at(file.path())));
      ASSERT_EQ(toBytes(sha256(bytes)), file.sha256());
    }
  }

  SmallPair pair_;
};

TEST_F(MutatedManifest, GivesAnErrorOrFilesThatFitTheirDigests) {
  Mutator mutator(64);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    Manifest manifest = pair_.variantReport.manifest;
    for (std::size_t left = 1 + mutator.below(3); left > 0; --left) mutator.mutate(manifest);
    if (mutator.below(4) != 0) reseal(manifest);
    expectNothingBelieved(manifest);
    if (HasFatalFailure()) return;
  }
}

TEST_F(MutatedManifest, DoesNoHarmWithAnyBytesForAMessage) {
  Mutator mutator(65);
  const std::string text = pair_.variantReport.manifest.SerializeAsString();
  const auto whole = std::as_bytes(std::span(text));
  ASSERT_TRUE(exerciseManifest(pair_, whole));
  std::size_t believed = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes damaged(whole.begin(), whole.end());
    mutator.mutate(damaged);
    believed += exerciseManifest(pair_, damaged) ? 1 : 0;
  }
  EXPECT_LT(believed, 1000U);
}

TEST_F(MutatedManifest, DoesNoHarmAsAnObject) {
  Mutator mutator(66);
  const std::string object = serializeManifest(pair_.variantReport.manifest).value();
  const auto whole = std::as_bytes(std::span(object));
  for (int round = 0; round < 1000; ++round) {
    Bytes damaged(whole.begin(), whole.end());
    mutator.mutate(damaged);
    const auto reader = pair_.openVariant(damaged);
    if (reader) expectNothingBelieved((*reader)->manifest());
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace strata::test
