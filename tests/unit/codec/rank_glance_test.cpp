#include "core/codec/predict/rank_glance.h"

#include <gtest/gtest.h>

#include <random>

#include "core/codec/exact/delta_codec.h"
#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

constexpr std::uint64_t kRows = 384;
constexpr std::uint64_t kColumns = 512;

/// A tune whose difference is noise, and some components of `strength` times the noise each.
PartSample tunedSample(ElementType type, std::uint32_t rank, float strength, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> left(kRows * rank);
  std::vector<float> right(kColumns * rank);
  for (float& x : left) x = normal(random);
  for (float& x : right) x = normal(random);
  std::vector<float> words;
  std::vector<float> parent;
  constexpr float kNoise = 0.0005F;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    for (std::uint64_t c = 0; c < kColumns; ++c) {
      float change = normal(random);
      for (std::uint32_t k = 0; k < rank; ++k) {
        change += strength * left[r * rank + k] * right[c * rank + k];
      }
      parent.push_back(0.05F * normal(random));
      words.push_back(parent.back() + kNoise * change);
    }
  }
  return {{wordFormat(type), kRows, kColumns}, wordsOf(words, type), wordsOf(parent, type)};
}

std::size_t bytesOf(const PartSample& sample, const DeltaEffort& effort) {
  return planAndEncodeDelta(sample.input(), effort, {}).payload.size();
}

constexpr DeltaEffort kUsual{.searchPredictors = false};
constexpr DeltaEffort kWithout{.searchAdapters = false, .searchPredictors = false};
constexpr DeltaEffort kBest{.searchLowRank = true};

TEST(RankGlance, SeesComponentsThatPay) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16, ElementType::F32}) {
    const RankGlance glance = glanceAtRank(tunedSample(type, 3, 3, 1).input());
    EXPECT_GE(glance.rank, 2U) << name(type);
    EXPECT_LE(glance.rank, 6U) << name(type);
    EXPECT_GT(glance.savedBitsPerWord, 1) << name(type);
  }
}

TEST(RankGlance, SeesNothingInNoise) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    EXPECT_LT(glanceAtRank(tunedSample(ElementType::BF16, 0, 0, seed).input()).savedBitsPerWord,
              0.05);
  }
}

TEST(RankGlance, SeesNothingInWordsThatAreNoNumbers) {
  PartSample sample = tunedSample(ElementType::BF16, 3, 3, 2);
  for (std::size_t i = 0; i < sample.words.size(); ++i) sample.words[i] = std::byte{0xFF};
  EXPECT_EQ(glanceAtRank(sample.input()).rank, 0U);
  sample.words = sample.parent;
  EXPECT_EQ(glanceAtRank(sample.input()).rank, 0U);
}

TEST(DeltaPlanner, TakesHalfOfWhatTheBestSearchGainsByFewRanks) {
  for (const ElementType type : {ElementType::BF16, ElementType::F32}) {
    for (const float strength : {1.0F, 3.0F}) {
      SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(strength));
      const PartSample sample = tunedSample(type, 4, strength, 3);
      const std::size_t without = bytesOf(sample, kWithout);
      const std::size_t best = bytesOf(sample, kBest);
      const std::size_t usual = bytesOf(sample, kUsual);
      EXPECT_LT(best, without * 97 / 100);
      EXPECT_LE(usual, without - (without - best) / 2);
    }
  }
}

TEST(DeltaPlanner, LosesNothingWhereItTrustsAGlance) {
  for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
    for (const float strength : {0.1F, 0.2F, 0.4F, 0.7F}) {
      const PartSample sample = tunedSample(type, 6, strength, 5);
      const std::size_t without = bytesOf(sample, kWithout);
      EXPECT_LE(bytesOf(sample, kUsual), without + without / 1000) << name(type) << strength;
    }
  }
}

TEST(DeltaPlanner, LeavesNoiseAsItIs) {
  const PartSample sample = tunedSample(ElementType::BF16, 0, 0, 4);
  EXPECT_EQ(planDelta(sample.input(), kUsual, {}).predictor.id(), PredictorId::None);
}

TEST(DeltaPlanner, LosesNothingWhereFewWordsChange) {
  for (const double share : {0.0005, 0.002, 0.01, 0.05}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      PartSample sample = tunedSample(ElementType::BF16, 0, 0, seed);
      sample.words = sample.parent;
      std::mt19937 random(seed);
      std::bernoulli_distribution isChanged(share);
      for (std::size_t i = 0; i < sample.words.size(); i += 2) {
        if (isChanged(random)) sample.words[i] ^= std::byte{1};
      }
      const std::size_t without = bytesOf(sample, kWithout);
      EXPECT_LE(bytesOf(sample, kUsual), without + without / 100) << share << " " << seed;
    }
  }
}

}  // namespace
}  // namespace strata::test
