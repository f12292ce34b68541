#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/part_samples.h"

namespace strata {
namespace {

using test::decodeSample;
using test::PartSample;
using test::sameBytes;

constexpr DeltaEffort kSampled{.searchTerms = false, .countAll = false};

PartSample largeSample(ElementType type) {
  return test::makeSample({wordFormat(type), 1024, 1024}, test::Content::FineTuned, 5);
}

test::Bytes coded(const PartSample& sample, const DeltaEffort& effort) {
  return planAndEncodeDelta(sample.input(), effort, CodecId::Integer).payload;
}

TEST(SampledTables, CodeLargePartsAtHardlyMore) {
  for (const ElementType type : {ElementType::BF16, ElementType::F32}) {
    const PartSample sample = largeSample(type);
    const auto payload = coded(sample, kSampled);
    const auto exact = coded(sample, {.searchTerms = false});
    EXPECT_LT(static_cast<double>(payload.size()), 1.005 * static_cast<double>(exact.size()));
    const auto decoded = decodeSample(CodecId::Integer, sample.shape, payload, sample.parent);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(sameBytes(*decoded, sample.words));
  }
}

TEST(SampledTables, GiveWayToExactOnesWhereTheSampleLackedASymbol) {
  PartSample sample = largeSample(ElementType::F32);
  // No sampled piece begins with an odd multiple of 128 words.
  for (const std::size_t i : {std::size_t{128}, std::size_t{640 * 128 + 128 + 5}}) {
    test::setWord(sample.words, 4, i, 0x7f000000);
  }
  const auto payload = coded(sample, kSampled);
  EXPECT_EQ(payload, coded(sample, {.searchTerms = false}));
  const auto decoded = decodeSample(CodecId::Integer, sample.shape, payload, sample.parent);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(sameBytes(*decoded, sample.words));
}

TEST(CountedAgain, GivesWhatAPlanCounted) {
  for (const ElementType type : {ElementType::BF16, ElementType::F32, ElementType::I8}) {
    for (const std::uint64_t rows : {1, 4, 60}) {
      const PartSample sample =
          test::makeSample({wordFormat(type), rows, 16}, test::Content::FineTuned, 5);
      const DeltaPlan plan = planDelta(sample.input(), {}, {});
      const ContextCounts counts = countDelta(sample.input(), plan);
      for (std::size_t c = 0; c < kContexts; ++c) {
        EXPECT_TRUE(std::ranges::equal(counts.of(c), plan.counts.of(c))) << rows << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace strata
