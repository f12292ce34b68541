#include "core/text/wording.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/text/glob.h"

namespace strata {
namespace {

TEST(Wording, GivesBytesInSiUnits) {
  EXPECT_EQ(wordBytes(0), "0 B");
  EXPECT_EQ(wordBytes(999), "999 B");
  EXPECT_EQ(wordBytes(1000), "1.0 kB");
  EXPECT_EQ(wordBytes(6144), "6.1 kB");
  EXPECT_EQ(wordBytes(999'949), "999.9 kB");
  EXPECT_EQ(wordBytes(999'950), "1.0 MB");
  EXPECT_EQ(wordBytes(267'800'000), "267.8 MB");
  EXPECT_EQ(wordBytes(999'950'000), "1.00 GB");
  EXPECT_EQ(wordBytes(1'334'600'000), "1.33 GB");
  EXPECT_EQ(wordBytes(2'500'000'000'000), "2.50 TB");
  EXPECT_EQ(wordBytesChange(-300'000), "-300.0 kB");
  EXPECT_EQ(wordBytesChange(12), "+12 B");
  EXPECT_EQ(wordBytesChange(std::numeric_limits<std::int64_t>::min()), "-9223372.04 TB");
}

TEST(Wording, GivesRatiosAndShares) {
  EXPECT_EQ(wordRatio(15.66), "15.7x");
  EXPECT_EQ(wordRatio(214.3), "214x");
  EXPECT_EQ(wordRatio(99.96), "100x");
  EXPECT_EQ(wordRatio(0), "-");
  EXPECT_EQ(wordRatio(std::nan("")), "-");
  EXPECT_EQ(wordShare(0), "0 %");
  EXPECT_EQ(wordShare(0.00004), "<0.1 %");
  EXPECT_EQ(wordShare(0.0123), "1.2 %");
  EXPECT_EQ(wordShare(0.613), "61 %");
  EXPECT_EQ(wordShare(0.9999), "99.9 %");
  EXPECT_EQ(wordShare(1), "100 %");
  EXPECT_EQ(wordShareChange(-0.017), "-1.7 %");
  EXPECT_EQ(wordError(0.0181), "0.018");
  EXPECT_EQ(wordError(0.0005), "0.0005");
  EXPECT_EQ(wordError(0.00149), "0.0015");
  EXPECT_EQ(wordError(1.2e-7), "1.2e-07");
  EXPECT_EQ(wordError(1234.6), "1235");
  EXPECT_EQ(wordError(3.4e38), "3.4e+38");
}

TEST(Wording, GivesTimesAndShapes) {
  EXPECT_EQ(wordDuration(5.2), "0:06");
  EXPECT_EQ(wordDuration(754), "12:34");
  EXPECT_EQ(wordDuration(3723), "1:02:03");
  EXPECT_EQ(wordElapsed(0.42), "0.4 s");
  EXPECT_EQ(wordElapsed(125), "2 min 5 s");
  EXPECT_EQ(wordRate(3'200'000), "3.2 MB/s");
  EXPECT_EQ(wordShape(std::array<std::uint64_t, 2>{30522, 768}), "30522x768");
  EXPECT_EQ(wordShape({}), "scalar");
  EXPECT_EQ(wordCount(1, "tensor"), "1 tensor");
  EXPECT_EQ(wordCount(104, "tensor"), "104 tensors");
  EXPECT_EQ(isoDate(1'773'000'000), "2026-03-08T20:00:00Z");
}

TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(matchesGlob("layer.3.weight", "layer.*.weight"));
  EXPECT_TRUE(matchesGlob("layer.3.weight", "*"));
  EXPECT_TRUE(matchesGlob("abc", "a?c"));
  EXPECT_TRUE(matchesGlob("", "*"));
  EXPECT_TRUE(matchesGlob("aXbXc", "a*b*c"));
  EXPECT_FALSE(matchesGlob("layer.3.weight", "layer"));
  EXPECT_FALSE(matchesGlob("abc", "a?"));
  EXPECT_FALSE(matchesGlob("", "?"));
  EXPECT_FALSE(matchesGlob(std::string(5000, 'a'), std::string(50, '*') + "b"));
}

}  // namespace
}  // namespace strata
