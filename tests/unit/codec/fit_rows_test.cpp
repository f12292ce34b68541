#include "core/codec/predict/fit_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/codec/exact/delta_words.h"
#include "core/codec/predict/fit_drift.h"

namespace strata {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr PartShape kTable{{4, 23, true, false}, 60, 64};
constexpr std::uint64_t kTableFirst = 70;
constexpr std::uint64_t kTableApart = 18;

/// How many of the steps between both snapshots reach a row.
enum class Reach { None, One, Two, All };

Reach reachOf(std::size_t row) { return static_cast<Reach>(row % 4); }

/// A run of AdamW on a table of which each batch touches some rows. All rows were touched before.
class TableRun {
 public:
  TableRun() {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (float& weight : w_) weight = 0.04F * normal(random);
    for (std::uint64_t t = 1; t <= kTableFirst + kTableApart; ++t) {
      for (std::size_t row = 0; row < kTable.rows; ++row) {
        const bool isTouched =
            t <= kTableFirst ? (row + t) % 5 == 0 : isReached(row, t - kTableFirst);
        for (std::size_t c = 0; c < kTable.columns; ++c) {
          const float g = isTouched ? 1e-3F * normal(random) : 0;
          step(row * kTable.columns + c, t, g);
        }
      }
      if (t == kTableFirst) earlier_ = {wordsOf(w_), wordsOf(m_), wordsOf(v_)};
    }
    later_ = {wordsOf(w_), wordsOf(m_), wordsOf(v_)};
  }

  StepSample sample() const {
    return {earlier_.m, later_.m, earlier_.v, later_.v, earlier_.w, later_.w};
  }

 private:
  struct State {
    Words w, m, v;
  };

  /// By step `t` behind the first snapshot.
  static bool isReached(std::size_t row, std::uint64_t t) {
    const std::uint64_t own = row % 7 * 2 + 1;
    switch (reachOf(row)) {
      case Reach::None:
        return false;
      case Reach::One:
        return t == own;
      case Reach::Two:
        return t == own || t == own + 3;
      case Reach::All:
        return true;
    }
    return false;
  }

  void step(std::size_t i, std::uint64_t t, float g) {
    const auto number = static_cast<float>(t);
    m_[i] = 0.9F * m_[i] + 0.1F * g;
    v_[i] = 0.999F * v_[i] + 0.001F * g * g;
    const float root = std::sqrt(1 - std::pow(0.999F, number));
    const float rate = 5e-5F / (1 - std::pow(0.9F, number));
    w_[i] = w_[i] - rate * m_[i] / (std::sqrt(v_[i]) / root + 1e-8F);
  }

  static Words wordsOf(const std::vector<float>& values) {
    Words words;
    for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
    return words;
  }

  std::vector<float> w_ = std::vector<float>(kTable.wordCount());
  std::vector<float> m_ = std::vector<float>(kTable.wordCount());
  std::vector<float> v_ = std::vector<float>(kTable.wordCount());
  State earlier_;
  State later_;
};

AdamStep tableDrift(const StepSample& sample) {
  const auto drift =
      fitDrift({.step = kTableFirst + kTableApart, .stepCount = kTableApart}, sample);
  EXPECT_TRUE(drift);
  return drift ? drift->step : AdamStep{};
}

/// Mean bits of the differences in rows of one reach.
double bitsOfRows(const Predictor& predictor, const Words& before, const Words& after,
                  std::vector<const std::uint32_t*> further, Reach reach) {
  Words predicted = before;
  DeltaWords<std::uint32_t>(kTable, 0, false)
      .predict(predictor, 0, predicted.data(), predicted.size(), {further, 0});
  double sum = 0;
  std::size_t rows = 0;
  for (std::size_t r = 0; r < kTable.rows; ++r) {
    if (reachOf(r) != reach) continue;
    const auto row = [&](std::span<const std::uint32_t> words) {
      return words.subspan(r * kTable.columns, kTable.columns);
    };
    sum += static_cast<double>(differenceBits(row(predicted), row(after)));
    ++rows;
  }
  return sum / static_cast<double>(rows * kTable.columns);
}

Words tableCopy(std::span<const std::uint32_t> words) { return {words.begin(), words.end()}; }

TEST(FitRows, TellsSecondMomentsOfRowsThatOneGradientReached) {
  const TableRun run;
  const StepSample s = run.sample();
  const AdamStep drift = tableDrift(s);
  const Predictor rows{ReplayedRowMoment{drift, fitRowShares(drift, kTable, s)}};
  const Predictor plain{ReplayedMoment{drift}};
  const Words before = tableCopy(s.v0);
  const Words after = tableCopy(s.v1);
  const std::vector<const std::uint32_t*> further{s.m0.data(), s.m1.data()};
  EXPECT_LT(bitsOfRows(rows, before, after, further, Reach::One), 5);
  EXPECT_GT(bitsOfRows(plain, before, after, further, Reach::One), 15);
  EXPECT_LT(bitsOfRows(rows, before, after, further, Reach::None), 4);
}

TEST(FitRows, GivesRowsOfOneStepOneShareAndOthersNone) {
  const TableRun run;
  const StepSample s = run.sample();
  const DecayedRows shares = fitRowShares(tableDrift(s), kTable, s);
  EXPECT_EQ(shares.factors.size(), 7U);
  ASSERT_EQ(shares.palette.size(), kTable.rows);
  for (std::size_t r = 0; r < kTable.rows; ++r) {
    EXPECT_EQ(shares.palette[r] != 0, reachOf(r) == Reach::One) << r;
    for (std::size_t other = r % 28; other < r; other += 28) {
      EXPECT_EQ(shares.palette[r], shares.palette[other]) << r;
    }
  }
}

TEST(FitRows, TellsWeightsOfRowsThatFewGradientsReached) {
  const TableRun run;
  const StepSample s = run.sample();
  const AdamStep drift = tableDrift(s);
  const Predictor rows{fitRowWeights(drift, kTable, s)};
  const Predictor plain{ReplayedWeights{drift}};
  const Words before = tableCopy(s.w0);
  const Words after = tableCopy(s.w1);
  const std::vector<const std::uint32_t*> further{s.m1.data(), s.v1.data(), s.m0.data()};
  EXPECT_LT(bitsOfRows(rows, before, after, further, Reach::None), 5);
  EXPECT_LT(bitsOfRows(rows, before, after, further, Reach::One), 5);
  EXPECT_GT(bitsOfRows(plain, before, after, further, Reach::One), 9);
  EXPECT_LT(bitsOfRows(rows, before, after, further, Reach::Two),
            bitsOfRows(plain, before, after, further, Reach::Two));
}

TEST(FitRows, FindsNothingInWordsThatAreNoRun) {
  std::mt19937 random(2);
  Words words[6];
  for (Words& some : words) {
    for (std::size_t i = 0; i < kTable.wordCount(); ++i)
      some.push_back(static_cast<std::uint32_t>(random()));
  }
  const StepSample noise{words[0], words[1], words[2], words[3], words[4], words[5]};
  AdamStep drift;
  drift.variant.update = kernels::UpdateForm::Drift;
  EXPECT_TRUE(fitRowShares(drift, kTable, noise).factors.empty());
  for (const float rate : fitRowWeights(drift, kTable, noise).rates) {
    EXPECT_TRUE(std::isfinite(rate));
  }
}

TEST(FitRows, LeavesRowsWithoutMomentsAlone) {
  const Words zeros(kTable.wordCount());
  const Words ones(kTable.wordCount(), std::bit_cast<std::uint32_t>(1.0F));
  AdamStep drift;
  drift.variant.update = kernels::UpdateForm::Drift;
  const auto rows = fitRowWeights(drift, kTable, {zeros, zeros, zeros, zeros, ones, ones});
  EXPECT_TRUE(rows.shares.factors.empty());
  EXPECT_EQ(rows.rates, std::vector<float>(kTable.rows));
  EXPECT_EQ(rows.earlierRates, std::vector<float>(kTable.rows));
}

}  // namespace
}  // namespace strata
