#include "core/quantize/part_sample.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace strata {
namespace {

using ::testing::ElementsAre;

/// Parts of which payload and error are known: what grows with them, times a factor that scatters.
struct Population {
  std::vector<SampleCandidate> parts;
  std::vector<PartFigures> figures;

  double payloadBytes() const {
    double sum = 0;
    for (const PartFigures& one : figures) sum += one.payloadBytes;
    return sum;
  }
  double relativeError() const {
    double errors = 0;
    double changes = 0;
    for (const PartFigures& one : figures) {
      errors += one.errorSquares;
      changes += one.changeSquares;
    }
    return std::sqrt(errors / changes);
  }
  PartSample::Totals estimate(double bytes, std::uint64_t seed) const {
    const PartSample sample(parts, bytes, seed);
    std::vector<PartFigures> seen;
    for (const std::size_t part : sample.chosen()) seen.push_back(figures[part]);
    return sample.extrapolate(seen);
  }
};

/// `strata` kinds of parts with `count` each.
Population populationOf(int strata, int count, double scatter, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Population made;
  for (int s = 0; s < strata; ++s) {
    for (int i = 0; i < count; ++i) {
      const double bytes = 1000.0 * (s + 1);
      const double change = bytes * std::exp(0.3 * normal(random));
      const auto noise = [&] { return std::exp(scatter * normal(random)); };
      made.parts.push_back({"stratum " + std::to_string(s), bytes, bytes, bytes, change, change});
      made.figures.push_back({bytes / (5 + s) * noise(), change / (2 + s) * noise(), change});
    }
  }
  return made;
}

SampleCandidate part(const std::string& stratum, double bytes, int order) {
  return {stratum, bytes, bytes, bytes, 0, static_cast<double>(order)};
}

TEST(PartSample, TakesSomeOfEveryKindSpreadOverItsOrder) {
  std::vector<SampleCandidate> parts;
  for (int i = 0; i < 12; ++i) parts.push_back(part("a", 100, i));
  parts.push_back(part("b", 100, 0));
  const PartSample sample(parts, 400, 1);
  // A third of the twelve, each from another quarter of the order; the only one of its kind.
  EXPECT_THAT(sample.chosen(), ElementsAre(1, 4, 7, 10, 12));
  EXPECT_THAT(PartSample(parts, 400, 2).chosen(), ElementsAre(0, 3, 6, 9, 12));
}

TEST(PartSample, TakesOneOfPartsThatAreLargerThanTheSample) {
  std::vector<SampleCandidate> parts;
  for (int i = 0; i < 3; ++i) parts.push_back(part("large", 4'000, i));
  for (int i = 0; i < 3; ++i) parts.push_back(part("small", 10, i));
  EXPECT_EQ(PartSample(parts, 1'000, 1).chosen().size(), 3U);
}

TEST(PartSample, TakesEveryPartThatMattersMoreThanItCosts) {
  std::vector<SampleCandidate> parts;
  for (int i = 0; i < 40; ++i) parts.push_back(part("a", 100, i));
  parts[17].changeSquares = 1'000;
  const PartSample sample(parts, 400, 1);
  EXPECT_THAT(sample.chosen(), ::testing::Contains(17U));
  EXPECT_LE(sample.chosen().size(), 6U);
}

TEST(PartSample, IsExactWhereItTakesEverything) {
  const Population all = populationOf(3, 4, 0.5, 7);
  const PartSample::Totals totals = all.estimate(1e9, 1);
  EXPECT_DOUBLE_EQ(totals.payloadBytes.value, all.payloadBytes());
  EXPECT_DOUBLE_EQ(totals.payloadBytes.low, totals.payloadBytes.high);
  EXPECT_DOUBLE_EQ(totals.relativeError.value, all.relativeError());
  EXPECT_DOUBLE_EQ(totals.relativeError.low, totals.relativeError.high);
}

TEST(PartSample, IsExactWhereFiguresGrowAsItExpects) {
  const Population even = populationOf(3, 20, 0, 7);
  const PartSample::Totals totals = even.estimate(10'000, 1);
  EXPECT_NEAR(totals.payloadBytes.value, even.payloadBytes(), 1e-6);
  EXPECT_NEAR(totals.relativeError.value, even.relativeError(), 1e-9);
  EXPECT_NEAR(totals.payloadBytes.high, even.payloadBytes(), 1e-3);
}

TEST(PartSample, HoldsTheTruthInItsBandNearlyAlways) {
  int inside = 0;
  int widths = 0;
  constexpr int kRounds = 400;
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    const Population all = populationOf(4, 20, 0.3, seed);
    const PartSample::Totals totals = all.estimate(30'000, seed);
    const double truth = all.payloadBytes();
    inside += totals.payloadBytes.low <= truth && truth <= totals.payloadBytes.high ? 1 : 0;
    widths +=
        (totals.payloadBytes.high - totals.payloadBytes.low) / 2 < 0.7 * totals.payloadBytes.value
            ? 1
            : 0;
  }
  EXPECT_GT(inside, kRounds * 88 / 100);
  EXPECT_EQ(widths, kRounds);
}

TEST(PartSample, BorrowsTheSpreadOfOtherKindsForAKindSeenOnce) {
  Population all = populationOf(1, 20, 0.4, 3);
  for (int i = 0; i < 3; ++i) {
    all.parts.push_back(part("large", 1e6, i));
    all.parts.back().changeSquares = 1e6;
    all.figures.push_back({1e5, 1e5, 1e6});
  }
  const PartSample::Totals totals = all.estimate(10'000, 1);
  EXPECT_GT(totals.payloadBytes.high, totals.payloadBytes.value * 1.1);
  EXPECT_LT(totals.payloadBytes.low, totals.payloadBytes.value * 0.9);
}

TEST(PartSample, GoesByBytesWhereChangesAreNotKnown) {
  Population all = populationOf(1, 10, 0, 5);
  for (SampleCandidate& part : all.parts) part.changeSquares = -1;
  for (PartFigures& figures : all.figures) figures = {10, 4, 16};
  EXPECT_NEAR(all.estimate(3'000, 1).relativeError.value, 0.5, 1e-9);
}

TEST(PartSample, CountsKindsThatAreKeptExactForNothing) {
  Population all = populationOf(1, 10, 0, 5);
  const double error = all.relativeError();
  for (int i = 0; i < 4; ++i) {
    all.parts.push_back(part("exact", 100, i));
    all.parts.back().changeSquares = 1e9;
    all.figures.push_back({50, 0, 0});
  }
  EXPECT_NEAR(all.estimate(3'000, 1).relativeError.value, error, 1e-9);
}

TEST(PartSample, ScalesToWhatTheCandidatesStandFor) {
  Population all = populationOf(1, 10, 0, 5);
  for (SampleCandidate& part : all.parts) part.wholeSize = 0.9 * part.payloadSize;
  EXPECT_NEAR(all.estimate(3'000, 1).payloadBytes.value, 0.9 * all.payloadBytes(), 1e-6);
}

TEST(PartSample, IsNothingOfNothing) {
  const PartSample sample({}, 1'000, 1);
  EXPECT_TRUE(sample.chosen().empty());
  EXPECT_EQ(sample.extrapolate({}).payloadBytes.value, 0);
  EXPECT_EQ(sample.extrapolate({}).relativeError.value, 0);
}

}  // namespace
}  // namespace strata
