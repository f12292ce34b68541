// What payloads may cost. Bounds are entropies that the tests work out themselves.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <random>

#include "tests/conformance/codec_cases.h"
#include "tests/conformance/delta_plans.h"

namespace strata::test {
namespace {

void recordRatio(const char* what, double found, double bound) {
  testing::Test::RecordProperty(what, std::to_string(found / bound));
}

TEST(IntegerCodec, ReachesTheEntropyOfOnePercentChanged) {
  constexpr std::uint64_t kSide = 2048;
  constexpr std::uint64_t kChanged = kSide * kSide / 100;
  constexpr std::uint64_t kSteps = 8;
  PartSample sample =
      makeSample(shapeOf(ElementType::BF16, kSide, kSide), Content::EqualToParent, 51);
  std::mt19937_64 random(52);
  for (std::uint64_t left = kChanged; left > 0;) {
    const std::size_t at = random() % (kSide * kSide);
    const std::uint64_t word = wordAt(sample.parent, 2, at);
    if (wordAt(sample.words, 2, at) != word) continue;
    const std::uint64_t step = 1 + random() % kSteps;
    setWord(sample.words, 2, at, random() % 2 == 0 ? word + step : word - step);
    --left;
  }
  const double mask = entropyOf({kSide * kSide - kChanged, kChanged});
  const double bound = (mask + kChanged * std::log2(2.0 * kSteps)) / 8;
  const auto payload = encodeSample(CodecId::Integer, sample.input()).value();
  recordRatio("ratio_to_bound", static_cast<double>(payload.size()), bound);
  EXPECT_LT(static_cast<double>(payload.size()), 1.05 * bound) << "bound " << bound << " bytes";
}

TEST(IntegerCodec, SpendsAFewBytesOnEqualWords) {
  for (const ElementType type : {ElementType::F32, ElementType::BF16, ElementType::I8}) {
    const PartSample sample = makeSample(shapeOf(type, 1024, 1024), Content::EqualToParent, 53);
    EXPECT_LT(encodeSample(CodecId::Integer, sample.input())->size(), 200U) << name(type);
  }
}

/// Bits of the differences between words and what they were predicted to be.
double remainderBits(const PartSample& sample, const Bytes& predicted) {
  std::map<std::int64_t, double> counts;
  const std::size_t size = sample.shape.word.bytes;
  for (std::size_t i = 0; i < sample.shape.wordCount(); ++i) {
    ++counts[static_cast<std::int64_t>(wordAt(sample.words, size, i)) -
             static_cast<std::int64_t>(wordAt(predicted, size, i))];
  }
  std::vector<double> all;
  for (const auto& [difference, count] : counts) all.push_back(count);
  return entropyOf(all);
}

/// The parent moved by the best difference of that rank, in floats.
Bytes bestPrediction(const PartSample& sample, int rank) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(sample.shape.rows);
  const auto columns = static_cast<Eigen::Index>(sample.shape.columns);
  auto parent = valuesOf(sample.parent, ElementType::BF16);
  auto words = valuesOf(sample.words, ElementType::BF16);
  const Eigen::Map<Matrix> from(parent.data(), rows, columns);
  const Matrix change = Eigen::Map<Matrix>(words.data(), rows, columns) - from;
  std::mt19937 random(54);
  std::normal_distribution<float> normal;
  Matrix basis(columns, rank);
  for (Eigen::Index i = 0; i < basis.size(); ++i) basis.data()[i] = normal(random);
  for (int round = 0; round < 6; ++round) {
    const Matrix left = change * basis;
    const Matrix right = change.transpose() * left;
    basis = Eigen::HouseholderQR<Matrix>(right).householderQ() * Matrix::Identity(columns, rank);
  }
  const Matrix moved = from + (change * basis) * basis.transpose();
  return wordsOf({moved.data(), moved.data() + moved.size()}, ElementType::BF16);
}

TEST(LowRankPredictor, StoresAMergedAdapterNearItsFactors) {
  constexpr std::uint32_t kRank = 8;
  for (const float strength : {0.0005F, 0.002F, 0.008F}) {
    const PartSample sample = lowRankSample(ElementType::BF16, 512, 640, kRank, strength);
    const DeltaFeature with =
        encodeFeature("adapter", sample, {.searchDecay = true, .searchLowRank = true}, {});
    const DeltaFeature without = encodeFeature("adapter", sample, {}, {});
    const double factors = 2.0 * kRank * (512 + 640);
    const double rounding = remainderBits(sample, bestPrediction(sample, kRank)) / 8;
    const auto bytes = static_cast<double>(with.payload.size());
    const std::string label = "ratio_at_" + std::to_string(strength);
    recordRatio(label.c_str(), bytes, factors + rounding);
    const PredictorId wanted = strength < 0.001F ? PredictorId::LowRank : PredictorId::WideLowRank;
    EXPECT_EQ(with.plan.predictor.id(), wanted) << strength;
    EXPECT_LT(bytes, 1.3 * (factors + rounding))
        << strength << ": factors " << factors << ", rounding " << rounding << ", without "
        << without.payload.size();
    EXPECT_LT(with.payload.size(), without.payload.size() / 2) << strength;
    const auto decoded = with.decode(with.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, sample.words));
  }
}

TEST(WideLowRankPredictor, StoresAnAdapterMergedInF32NearItsFactors) {
  constexpr std::uint32_t kRank = 8;
  for (const float strength : {0.00005F, 0.0005F, 0.005F}) {
    const PartSample sample = lowRankSample(ElementType::F32, 512, 640, kRank, strength);
    const DeltaFeature with =
        encodeFeature("adapter", sample, {.searchDecay = true, .searchLowRank = true}, {});
    const double factors = 4.0 * kRank * (512 + 640);
    const auto unrounded = lowRankWordsUnrounded(ElementType::F32, 512, 640, kRank, strength);
    const double rounding = remainderBits(sample, unrounded) / 8;
    const auto bytes = static_cast<double>(with.payload.size());
    recordRatio(("ratio_at_" + std::to_string(strength)).c_str(), bytes, factors + rounding);
    EXPECT_EQ(with.plan.predictor.id(), PredictorId::WideLowRank) << strength;
    EXPECT_LT(bytes, 1.3 * (factors + rounding))
        << strength << ": factors " << factors << ", rounding " << rounding;
    const auto decoded = with.decode(with.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, sample.words));
  }
}

TEST(LowRankPredictor, LeavesNoiseAlone) {
  const PartSample sample =
      makeSample(shapeOf(ElementType::BF16, 200, 200), Content::FineTuned, 55);
  const DeltaPlan plan =
      planDelta(sample.input(), {.searchDecay = true, .searchLowRank = true}, {});
  EXPECT_EQ(plan.predictor.id(), PredictorId::None);
}

TEST(DecayPredictor, SpendsAlmostNothingOnRowsThatOnlyDecayed) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16, ElementType::F32}) {
    const PartSample sample = decayedSample(type, 600, 128);
    const DeltaFeature with = encodeFeature("decay", sample, {}, {});
    const DeltaFeature without = encodeFeature("decay", sample, {.searchDecay = false}, {});
    EXPECT_EQ(with.plan.predictor.id(), PredictorId::Decay) << name(type);
    recordRatio(std::string(name(type)).c_str(), static_cast<double>(with.payload.size()),
                static_cast<double>(without.payload.size()));
    EXPECT_LT(with.payload.size(), without.payload.size() * 7 / 10) << name(type);
    const auto decoded = with.decode(with.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, sample.words));
  }
}

TEST(ShiftedWords, CostNoMoreThanTheBitsTheyHave) {
  // f32 words that were bf16 once, against an f32 parent.
  const PartSample shifted = zeroLowBitsSample(300, 200, 16);
  const DeltaFeature feature = encodeFeature("shift", shifted, {}, {});
  EXPECT_EQ(feature.plan.shift, 16U);
  const auto asHalf = [](const Bytes& words) {
    return wordsOf(valuesOf(words, ElementType::F32), ElementType::BF16);
  };
  const PartSample narrow{shapeOf(ElementType::BF16, 300, 200), asHalf(shifted.words),
                          asHalf(shifted.parent)};
  const auto narrowPayload = encodeSample(CodecId::Integer, narrow.input()).value();
  EXPECT_LT(feature.payload.size(), narrowPayload.size() * 102 / 100 + 100);
}

TEST(ShiftedWords, DecodeForEveryNumberOfZeroBits) {
  for (unsigned bits = 1; bits <= 23; ++bits) {
    const DeltaFeature feature = encodeFeature("shift", zeroLowBitsSample(20, 50, bits), {}, {});
    EXPECT_GE(feature.plan.shift, bits);
    const auto decoded = feature.decode(feature.payload);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, feature.sample.words)) << bits;
  }
}

TEST(SharedTables, ServePartsThatTheyWereNotBuiltFrom) {
  std::vector<PartSample> samples;
  std::vector<DeltaPlan> plans;
  ContextCounts counts(64);
  for (unsigned seed = 0; seed < 20; ++seed) {
    samples.push_back(makeSample(shapeOf(ElementType::BF16, 4, 40), Content::FineTuned, seed));
    plans.push_back(planDelta(samples.back().input(), {}, CodecId::Integer));
    if (seed < 15) counts.add(plans.back().counts);
  }
  const auto tables = std::make_shared<const TableSet>(buildSharedTableSet(counts));
  std::size_t ownBytes = 0;
  std::size_t sharedBytes = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(tables->codedBits(plans[i].counts))) continue;
    const Bytes payload = encodeDelta(samples[i].input(), plans[i], tables.get(), 0);
    sharedBytes += payload.size();
    ownBytes += encodeDelta(samples[i].input(), plans[i], nullptr, 0).size();
    const auto decoded =
        decodeSample(CodecId::Integer, samples[i].shape, payload, samples[i].parent, {tables});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, samples[i].words));
  }
  EXPECT_GT(sharedBytes, 0U);
  EXPECT_LT(sharedBytes, ownBytes);
}

}  // namespace
}  // namespace strata::test
