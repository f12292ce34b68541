// A few thousand damaged inputs, the same ones every time: what the fuzzers begin with.

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "core/codec/entropy/byte_io.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/stored_targets.h"
#include "tests/support/lossy_samples.h"
#include "tests/support/manifest_message.h"

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

TEST(SteppedSeeds, AreOfVersionsThatRestore) {
  const auto pairs = steppedPairs();
  ASSERT_EQ(pairs.size(), 4U);
  for (const auto& pair : pairs) {
    const Manifest& manifest = pair->variantReport.manifest;
    const bool isRounded = pair == pairs.back();
    EXPECT_EQ(manifest.formatVersion, isRounded ? kManifestVersion : kManySourcesManifestVersion);
    const std::string message = encodeMessage(manifest, Offsets::AsTheyAre).value();
    EXPECT_TRUE(exerciseManifest(*pair, std::as_bytes(std::span(message))));
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
    for (const ManifestFile& file : manifest.files) {
      ASSERT_EQ(sha256(std::as_bytes(std::span(files->at(file.path)))), file.sha256);
    }
  }

  SmallPair pair_;
};

TEST_F(MutatedManifest, GivesAnErrorOrFilesThatFitTheirDigests) {
  Mutator mutator(64);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    archive::Manifest message = messageOf(pair_.variantReport.manifest, Offsets::AsTheyAre);
    for (std::size_t left = 1 + mutator.below(3); left > 0; --left) mutator.mutate(message);
    auto manifest =
        decodeMessage(message.SerializeAsString(), kMostMessageMemory, Offsets::AsTheyAre);
    if (!manifest) {
      EXPECT_NE(manifest.error().code, ErrorCode::Internal) << manifest.error().message;
      continue;
    }
    if (mutator.below(4) != 0) reseal(*manifest);
    expectNothingBelieved(*manifest);
    if (HasFatalFailure()) return;
  }
}

/// What a manifest may have that our structs have no other form for.
void normalize(archive::Manifest& message) {
  if (message.content_digest().empty()) message.set_content_digest(std::string(32, '\0'));
  for (archive::Tensor& tensor : *message.mutable_tensors()) {
    for (archive::Part& part : *tensor.mutable_parts()) {
      if (part.view().type() == tensor.type() && part.has_view()) part.mutable_view()->clear_type();
    }
  }
}

TEST_F(MutatedManifest, IsReadAsProtobufReadsIt) {
  Mutator mutator(68);
  const google::protobuf::LogSilencer silence;
  const std::string text = encodeMessage(pair_.variantReport.manifest, Offsets::AsTheyAre).value();
  const auto whole = std::as_bytes(std::span(text));
  std::size_t believed = 0;
  for (int round = 0; round < 20'000; ++round) {
    SCOPED_TRACE(round);
    Bytes damaged(whole.begin(), whole.end());
    mutator.mutate(damaged);
    const std::string_view bytes(reinterpret_cast<const char*>(damaged.data()), damaged.size());
    archive::Manifest message;
    const bool isSound = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    const auto manifest = decodeMessage(bytes, kMostMessageMemory, Offsets::AsTheyAre);
    if (!manifest) {
      const bool isMalformed = manifest.error().message == "manifest: does not decode";
      ASSERT_TRUE(!isSound || !isMalformed) << manifest.error().message;
      continue;
    }
    ASSERT_TRUE(isSound);
    ++believed;
    normalize(message);
    ASSERT_EQ(messageOf(*manifest, Offsets::AsTheyAre).SerializeAsString(),
              message.SerializeAsString());
  }
  EXPECT_GT(believed, 2000U);
}

TEST_F(MutatedManifest, DoesNoHarmWithAnyBytesForAMessage) {
  Mutator mutator(65);
  const std::string text = encodeMessage(pair_.variantReport.manifest, Offsets::AsTheyAre).value();
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
