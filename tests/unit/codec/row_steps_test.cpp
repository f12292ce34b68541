#include <gtest/gtest.h>

#include <limits>

#include "core/codec/predict/predictor.h"

namespace strata {
namespace {

constexpr PartShape kRowsShape{{4, 23, true, false}, 30, 8};

AdamStep severalSteps() {
  AdamStep step{.lr = 1e-3, .earlierLr = 1e-4};
  step.variant.update = kernels::UpdateForm::Drift;
  return step;
}

DecayedRows someShares() {
  DecayedRows shares{{0.5F, 2.0F}, std::vector<std::uint8_t>(kRowsShape.rows)};
  shares.palette[3] = 1;
  shares.palette[9] = 2;
  return shares;
}

ReplayedRowWeights someWeights() {
  ReplayedRowWeights rows{severalSteps(), someShares(), {}, {}};
  for (std::size_t r = 0; r < kRowsShape.rows; ++r) {
    rows.rates.push_back(-1e-3F / static_cast<float>(r + 1));
    rows.earlierRates.push_back(r % 5 == 0 ? 0.0F : -1e-5F);
  }
  return rows;
}

std::vector<std::byte> bytesOfPredictor(const Predictor& predictor) {
  ByteWriter out;
  writePredictor(out, predictor);
  return out.take();
}

std::optional<Predictor> readBack(std::span<const std::byte> bytes,
                                  const PartShape& shape = kRowsShape) {
  ByteReader in(bytes);
  const auto id = static_cast<PredictorId>(in.byte());
  auto predictor = readPredictor(in, id, shape);
  return in.failed() || !in.rest().empty() ? std::nullopt : predictor;
}

TEST(RowSteps, AreReadAsTheyWereWritten) {
  const auto moment = readBack(bytesOfPredictor({ReplayedRowMoment{severalSteps(), someShares()}}));
  ASSERT_TRUE(moment);
  EXPECT_EQ(moment->sourceCount(), 3U);
  EXPECT_EQ(std::get<ReplayedRowMoment>(moment->form).shares.palette, someShares().palette);
  const auto weights = readBack(bytesOfPredictor({someWeights()}));
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->sourceCount(), 4U);
  const auto& rows = std::get<ReplayedRowWeights>(weights->form);
  EXPECT_EQ(rows.step, severalSteps());
  EXPECT_EQ(rows.shares.factors, someShares().factors);
  EXPECT_EQ(rows.rates, someWeights().rates);
  EXPECT_EQ(rows.earlierRates, someWeights().earlierRates);
}

TEST(RowSteps, AreRejectedWhenCutAtAnyByte) {
  for (const Predictor& predictor :
       {Predictor{ReplayedRowMoment{severalSteps(), someShares()}}, Predictor{someWeights()}}) {
    const auto bytes = bytesOfPredictor(predictor);
    for (std::size_t kept = 1; kept < bytes.size(); ++kept) {
      EXPECT_FALSE(readBack(std::span(bytes).first(kept))) << kept;
    }
  }
}

TEST(RowSteps, AreRejectedWhereNothingFollowsFromThem) {
  ReplayedRowWeights single = someWeights();
  single.step.variant.update = kernels::UpdateForm::Scaled;
  EXPECT_FALSE(readBack(bytesOfPredictor({single})));
  for (const float number :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    ReplayedRowWeights rows = someWeights();
    rows.rates[7] = number;
    EXPECT_FALSE(readBack(bytesOfPredictor({rows})));
    rows = someWeights();
    rows.earlierRates[29] = number;
    EXPECT_FALSE(readBack(bytesOfPredictor({rows})));
    rows = someWeights();
    rows.shares.factors[0] = number;
    EXPECT_FALSE(readBack(bytesOfPredictor({rows})));
  }
  ReplayedRowWeights unknown = someWeights();
  unknown.shares.palette[5] = 3;
  EXPECT_FALSE(readBack(bytesOfPredictor({unknown})));
}

/// So the lists of a part take no more memory than its words, whatever a forger writes.
TEST(RowSteps, AreRejectedForRowsOfFewWords) {
  const auto bytes = bytesOfPredictor({someWeights()});
  EXPECT_TRUE(readBack(bytes, {{4, 23, true, false}, 30, 4}));
  EXPECT_FALSE(readBack(bytes, {{4, 23, true, false}, 30, 3}));
}

TEST(RowSteps, AreRejectedForOtherWordsThanF32) {
  const auto bytes = bytesOfPredictor({someWeights()});
  EXPECT_FALSE(readBack(bytes, {{2, 7, true, false}, 30, 8}));
  EXPECT_FALSE(readBack(bytes, {{4, 0, false, true}, 30, 8}));
}

}  // namespace
}  // namespace strata
