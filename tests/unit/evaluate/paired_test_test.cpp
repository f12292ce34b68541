#include <gtest/gtest.h>

#include "core/evaluate/paired_test.h"

namespace strata {
namespace {

/// Two models that differ on `onlyFirst` + `onlySecond` samples and agree on 20 others.
Result<PairedTest> tested(std::size_t onlyFirst, std::size_t onlySecond) {
  std::vector<bool> first(10, true);
  first.resize(20, false);
  std::vector<bool> second = first;
  first.insert(first.end(), onlyFirst, true);
  second.insert(second.end(), onlyFirst, false);
  first.insert(first.end(), onlySecond, false);
  second.insert(second.end(), onlySecond, true);
  return pairedTest(first, second);
}

TEST(PairedTest, CountsWhereTheModelsDiffer) {
  const auto test = tested(3, 5);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->onlyFirst, 3);
  EXPECT_EQ(test->onlySecond, 5);
}

TEST(PairedTest, IsExact) {
  // Twice the lower tail of a fair coin, by hand: 2 * (1 + 6) / 2^6; 2 * (1 + 10 + 45) / 2^10.
  EXPECT_NEAR(tested(1, 5)->pValue, 14.0 / 64, 1e-12);
  EXPECT_NEAR(tested(8, 2)->pValue, 112.0 / 1024, 1e-12);
  EXPECT_NEAR(tested(0, 5)->pValue, 2.0 / 32, 1e-12);
}

TEST(PairedTest, IsOneWhereTheModelsAreAlike) {
  EXPECT_EQ(tested(0, 0)->pValue, 1);
  EXPECT_EQ(tested(7, 7)->pValue, 1);
  EXPECT_EQ(pairedTest({}, {})->pValue, 1);
}

TEST(PairedTest, HoldsForManySamples) {
  // Of 10,000 coins at most 4,900 heads: normal approximation 0.0233, twice that.
  EXPECT_NEAR(tested(4900, 5100)->pValue, 0.0466, 0.0005);
  EXPECT_GT(tested(1000, 3000)->pValue, 0);
  EXPECT_LT(tested(1000, 3000)->pValue, 1e-200);
}

TEST(PairedTest, LeadsAreInsignificantUpToTheirP) {
  // Of six that differ, 6 to 0 has p = 1/32, 5 to 1 has 7/32.
  EXPECT_EQ(mostInsignificantLead(6, 0.03), 6);
  EXPECT_EQ(mostInsignificantLead(6, 0.05), 4);
  EXPECT_EQ(mostInsignificantLead(6, 0.3), 2);
  EXPECT_EQ(mostInsignificantLead(6, 1), 0);
  EXPECT_EQ(mostInsignificantLead(7, 1), 1);
  EXPECT_EQ(mostInsignificantLead(0, 0.05), 0);
  // Nearly as the normal distribution says: 1.96 times the root.
  EXPECT_NEAR(static_cast<double>(mostInsignificantLead(1'000'000, 0.05)), 1960, 4);
}

TEST(PairedTest, RefusesDifferentNumbersOfSamples) {
  const auto test = pairedTest({true, false}, {true});
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace strata
