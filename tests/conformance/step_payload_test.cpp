#include <gtest/gtest.h>

#include <random>

#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/delta_words.h"
#include "tests/conformance/damage_checks.h"

namespace strata::test {
namespace {

constexpr std::uint64_t kRows = 30;
constexpr std::uint64_t kColumns = 40;
constexpr std::size_t kCount = kRows * kColumns;

Bytes normals(unsigned seed, float deviation, bool isPositive = false) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(kCount);
  for (float& value : values) value = isPositive ? std::abs(normal(random)) : normal(random);
  return wordsOf(values, ElementType::F32);
}

std::span<const std::uint32_t> wordsIn(const Bytes& bytes) {
  return {reinterpret_cast<const std::uint32_t*>(bytes.data()), bytes.size() / 4};
}

/// A part that follows from several sources by a step, but for a few words.
struct SteppedPart {
  PartShape shape = {wordFormat(ElementType::F32), kRows, kColumns};
  Predictor predictor;
  Bytes words = Bytes(kCount * 4);
  Bytes parent;
  std::vector<Bytes> further;
  CodecId codec = CodecId::Integer;
  Bytes payload;

  void encode() {
    std::vector<const std::uint32_t*> sources;
    std::vector<std::span<const std::byte>> spans;
    for (const Bytes& one : further) {
      sources.push_back(wordsIn(one).data());
      spans.emplace_back(one);
    }
    words = parent;
    const DeltaWords<std::uint32_t> plain(shape, 0, false);
    plain.predict(predictor, 0, reinterpret_cast<std::uint32_t*>(words.data()), kCount,
                  {sources, 0});
    for (std::size_t i = 100; i < words.size(); i += 1000) words[i] ^= std::byte{1};
    const EncodeInput input{shape, words, parent, spans};
    PlannedDelta planned = encodeReplay(input, {}, std::nullopt, predictor);
    codec = planned.plan.codec;
    payload = std::move(planned.payload);
  }

  Result<Bytes> decode(std::span<const std::byte> from) const {
    return decodeSample(codec, shape, from, parent, {}, further);
  }
};

std::vector<SteppedPart> everySteppedPart() {
  AdamStep step;
  step.lr = 1e-3;
  step.weightDecay = 0.01;
  step.setNumber(10);
  AdamStep momentum = step;
  momentum.variant.update = kernels::UpdateForm::Momentum;
  AdamStep drift = step;
  drift.variant.update = kernels::UpdateForm::Drift;
  DecayedRows shares{{0.002F, 0.05F}, std::vector<std::uint8_t>(kRows)};
  for (std::size_t r = 0; r < kRows; ++r) shares.palette[r] = static_cast<std::uint8_t>(r % 3);
  std::vector<SteppedPart> parts(5);
  parts[0].predictor = {ReplayedMoment{step}};
  parts[0].parent = normals(1, 1e-6F, true);
  parts[0].further = {normals(2, 1e-3F), normals(3, 1e-3F)};
  parts[1].predictor = {ReplayedWeights{step}};
  parts[1].parent = normals(4, 0.05F);
  parts[1].further = {normals(2, 1e-3F), normals(1, 1e-6F, true)};
  parts[2].predictor = {ReplayedWeights{momentum}};
  parts[2].parent = normals(4, 0.05F);
  parts[2].further = {normals(2, 1e-3F)};
  parts[3].predictor = {ReplayedRowMoment{drift, shares}};
  parts[3].parent = normals(1, 1e-6F, true);
  parts[3].further = {normals(2, 1e-3F), normals(3, 1e-3F)};
  parts[4].predictor = {ReplayedRowWeights{drift, shares, std::vector<float>(kRows, -1e-3F),
                                           std::vector<float>(kRows, -2e-4F)}};
  parts[4].parent = normals(4, 0.05F);
  parts[4].further = {normals(2, 1e-3F), normals(1, 1e-6F, true), normals(3, 1e-3F)};
  for (SteppedPart& part : parts) part.encode();
  return parts;
}

TEST(SteppedPayload, DecodesToItsWords) {
  for (const SteppedPart& part : everySteppedPart()) {
    const auto decoded = part.decode(part.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, part.words));
    EXPECT_LT(part.payload.size(), 250U) << "of " << part.words.size();
  }
}

TEST(SteppedPayload, IsRejectedWhenCutAtAnyByte) {
  for (const SteppedPart& part : everySteppedPart()) {
    expectEveryCutRejected(part.payload, [&](auto cut) { return part.decode(cut); });
  }
}

/// Most bits are those of the step: its last ones change nothing once they are rounded to f32, and
/// some of its numbers are of other updates. So any number of them may be harmless.
TEST(SteppedPayload, GivesNoOtherWordsWhenAnyBitFlips) {
  for (const SteppedPart& part : everySteppedPart()) {
    expectNoFlipBelieved(
        part.payload, [&](auto damaged) { return part.decode(damaged); }, part.words, 1);
  }
}

TEST(SteppedPayload, TakesAsManySourcesAsItsStepSays) {
  for (SteppedPart part : everySteppedPart()) {
    part.further.push_back(part.parent);
    expectRejected(part.decode(part.payload), "one source more");
    part.further.resize(part.further.size() - 2);
    expectRejected(part.decode(part.payload), "one source less");
  }
}

TEST(SteppedPayload, IsRejectedForWordsOfOtherKinds) {
  const SteppedPart part = everySteppedPart()[0];
  for (const ElementType type : {ElementType::BF16, ElementType::F16, ElementType::I32}) {
    const PartShape other{wordFormat(type), kRows, kColumns};
    const auto opened = openPart(part.codec, other, part.payload, 3, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
}

}  // namespace
}  // namespace strata::test
