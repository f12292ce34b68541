#include "core/codec/predict/predictor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace strata {
namespace {

using kernels::FloatKind;

constexpr PartShape kDecayShape{{4, 23, true, false}, 60, 40};

std::vector<std::uint32_t> weights(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.05F);
  std::vector<std::uint32_t> words(kDecayShape.wordCount());
  for (auto& word : words) word = std::bit_cast<std::uint32_t>(normal(random));
  return words;
}

/// Rows r with r % 3 == 1 decayed by `first`, with r % 3 == 2 by `second`.
std::vector<std::uint32_t> decayed(const std::vector<std::uint32_t>& parent, float first,
                                   float second) {
  auto words = parent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t kind = i / kDecayShape.columns % 3;
    const float factor = kind == 0 ? 1.0F : kind == 1 ? first : second;
    words[i] = std::bit_cast<std::uint32_t>(std::bit_cast<float>(words[i]) * factor);
  }
  return words;
}

Predictor foundDecay(const std::vector<std::uint32_t>& words) {
  return findDecay<std::uint32_t>(kDecayShape, FloatKind::F32, weights(1), words);
}

TEST(DecayPredictor, FindsTheFactorsOfRows) {
  const Predictor predictor = foundDecay(decayed(weights(1), 0.97F, 0.9F));
  ASSERT_EQ(predictor.id(), PredictorId::Decay);
  const auto& decay = std::get<DecayedRows>(predictor.form);
  ASSERT_EQ(decay.factors.size(), 2U);
  for (std::size_t r = 0; r < kDecayShape.rows; ++r) {
    ASSERT_EQ(decay.palette[r] == 0, r % 3 == 0) << r;
    if (r % 3 == 0) continue;
    EXPECT_NEAR(decay.factors[decay.palette[r] - 1U], r % 3 == 1 ? 0.97F : 0.9F, 1e-5);
  }
}

TEST(DecayPredictor, FindsNothingWhereNothingDecayed) {
  EXPECT_TRUE(foundDecay(weights(1)).isNone());
  EXPECT_TRUE(foundDecay(weights(2)).isNone());
}

TEST(DecayPredictor, FindsNothingInTinyParts) {
  const std::vector<std::uint32_t> words(8, 0x3f800000);
  EXPECT_TRUE(findDecay<std::uint32_t>({{4, 23, true, false}, 1, 8}, FloatKind::F32, words, words)
                  .isNone());
}

TEST(DecayPredictor, PredictsRowsItHasAFactorForAndKeepsTheOthers) {
  const auto parent = weights(1);
  const auto words = decayed(parent, 0.97F, 0.97F);
  const Predictor predictor = foundDecay(words);
  for (const std::size_t row : {0, 1, 2, 59}) {
    const auto from = std::span(parent).subspan(row * kDecayShape.columns, kDecayShape.columns);
    std::vector<std::uint32_t> out(kDecayShape.columns);
    predictor.predict<std::uint32_t>(FloatKind::F32, row, 0, from, {}, out.data());
    for (std::size_t c = 0; c < out.size(); ++c) {
      const std::uint32_t expected = words[row * kDecayShape.columns + c];
      EXPECT_LE(std::abs(static_cast<std::int64_t>(out[c]) - expected), row % 3 == 0 ? 0 : 8);
    }
  }
}

std::vector<std::byte> writtenPrediction(const Predictor& predictor) {
  ByteWriter out;
  writePredictor(out, predictor);
  return out.take();
}

std::optional<Predictor> readPrediction(std::span<const std::byte> bytes,
                                        const PartShape& shape = kDecayShape) {
  ByteReader in(bytes);
  const auto id = static_cast<PredictorId>(in.byte());
  auto predictor = readPredictor(in, id, shape);
  return in.failed() || !in.rest().empty() ? std::nullopt : predictor;
}

TEST(DecayPredictor, IsReadAsItWasWritten) {
  const Predictor predictor = foundDecay(decayed(weights(1), 0.97F, 0.9F));
  const auto back = readPrediction(writtenPrediction(predictor));
  ASSERT_TRUE(back);
  const auto& decay = std::get<DecayedRows>(predictor.form);
  EXPECT_EQ(std::get<DecayedRows>(back->form).factors, decay.factors);
  EXPECT_EQ(std::get<DecayedRows>(back->form).palette, decay.palette);
}

TEST(DecayPredictor, IsRejectedWhenCutAtAnyByte) {
  const auto bytes = writtenPrediction(foundDecay(decayed(weights(1), 0.97F, 0.9F)));
  for (std::size_t kept = 1; kept < bytes.size(); ++kept) {
    EXPECT_FALSE(readPrediction(std::span(bytes).first(kept))) << kept;
  }
}

TEST(Predictor, IsRejectedIfItsIdIsUnknown) {
  auto bytes = writtenPrediction(foundDecay(decayed(weights(1), 0.97F, 0.9F)));
  for (const int id : {3, 4, 5, 6, 7, 8, 255}) {
    bytes[0] = static_cast<std::byte>(id);
    EXPECT_FALSE(readPrediction(bytes)) << id;
  }
}

TEST(Predictor, IsRejectedForWordsItCannotPredict) {
  const auto bytes = writtenPrediction(foundDecay(decayed(weights(1), 0.97F, 0.9F)));
  EXPECT_FALSE(readPrediction(bytes, {{4, 0, false, true}, 60, 40}));
  EXPECT_FALSE(readPrediction(bytes, {{1, 3, true, false}, 60, 40}));
}

TEST(DecayPredictor, IsRejectedIfAFactorIsNotFinite) {
  for (const float factor :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Predictor predictor = foundDecay(decayed(weights(1), 0.97F, 0.9F));
    std::get<DecayedRows>(predictor.form).factors[1] = factor;
    EXPECT_FALSE(readPrediction(writtenPrediction(predictor)));
  }
}

TEST(DecayPredictor, IsRejectedIfARowNamesAFactorThatIsNotThere) {
  Predictor predictor = foundDecay(decayed(weights(1), 0.97F, 0.9F));
  std::get<DecayedRows>(predictor.form).palette[7] = 3;
  EXPECT_FALSE(readPrediction(writtenPrediction(predictor)));
}

}  // namespace
}  // namespace strata
