#include "core/codec/predict/wide_factors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/codec/exact/delta_codec.h"

namespace strata {
namespace {

using kernels::FloatKind;

constexpr PartShape kShape{{4, 23, true, false}, 90, 70};

std::vector<float> normals(std::size_t count, unsigned seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// Weights and the same with an adapter merged, as f32 arithmetic does it.
struct Merged {
  std::vector<float> parent = normals(kShape.wordCount(), 1, 0.05F);
  std::vector<float> words = parent;

  explicit Merged(std::uint32_t rank) {
    const auto a = normals(kShape.rows * rank, 2, 1.0F);
    const auto b = normals(kShape.columns * rank, 3, 0.001F);
    for (std::size_t i = 0; i < words.size(); ++i) {
      float sum = 0;
      for (std::uint32_t k = 0; k < rank; ++k) {
        sum += a[i / kShape.columns * rank + k] * b[i % kShape.columns * rank + k];
      }
      words[i] += sum;
    }
  }

  WideFit fit() const { return {kShape, parent, words}; }

  /// Words that the factors predict to the bit.
  double shareHit(const WideFactors& factors) const {
    std::size_t hits = 0;
    std::vector<std::uint32_t> row(kShape.columns);
    for (std::size_t r = 0; r < kShape.rows; ++r) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] = std::bit_cast<std::uint32_t>(parent[r * row.size() + c]);
      }
      addWideFactors<std::uint32_t>(factors, FloatKind::F32, r, 0, row, row.data());
      for (std::size_t c = 0; c < row.size(); ++c) {
        hits += std::bit_cast<float>(row[c]) == words[r * row.size() + c] ? 1U : 0U;
      }
    }
    return static_cast<double>(hits) / static_cast<double>(words.size());
  }
};

TEST(WideFit, FindsTheRankOfAMergedAdapter) {
  for (const std::uint32_t rank : {1U, 3U, 8U, 20U}) {
    EXPECT_EQ(Merged(rank).fit().rank(), rank);
  }
}

TEST(WideFit, PredictsMostWordsToTheBit) {
  const Merged merged(3);
  const WideFit fit = merged.fit();
  EXPECT_GT(merged.shareHit(fit.quantized(1.0 / 128)), 0.9);
  EXPECT_LT(merged.shareHit(fit.quantized(8)), 0.5);
}

TEST(WideFit, FindsNoRankWhereThereIsNone) {
  Merged merged(2);
  const auto noise = normals(merged.words.size(), 4, 1e-5F);
  for (std::size_t i = 0; i < noise.size(); ++i) merged.words[i] += noise[i];
  EXPECT_EQ(merged.fit().rank(), 0U);
  merged.words = merged.parent;
  EXPECT_EQ(merged.fit().rank(), 0U);
  merged = Merged(2);
  merged.words[77] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(merged.fit().rank(), 0U);
}

TEST(WideFit, SeesAtAGlanceWhereItMayPay) {
  const Merged merged(8);
  EXPECT_TRUE(WideFit::mayPay(kShape, merged.parent, merged.words));
  const Merged high(24);
  EXPECT_FALSE(WideFit::mayPay(kShape, high.parent, high.words));
  std::vector<float> tuned = normals(kShape.wordCount(), 4, 0.001F);
  for (std::size_t i = 0; i < tuned.size(); ++i) tuned[i] += merged.parent[i];
  EXPECT_FALSE(WideFit::mayPay(kShape, merged.parent, tuned));
}

TEST(WideFit, IsTakenWithoutASearchForPredictors) {
  const Merged merged(8);
  const EncodeInput input{kShape, std::as_bytes(std::span(merged.words)),
                          std::as_bytes(std::span(merged.parent))};
  const DeltaPlan plan = planDelta(input, {.searchPredictors = false}, {});
  EXPECT_EQ(plan.predictor.id(), PredictorId::WideLowRank);
  const DeltaPlan without =
      planDelta(input, {.searchAdapters = false, .searchPredictors = false}, {});
  EXPECT_TRUE(without.predictor.isNone());
  EXPECT_LT(plan.estimatedBits, 0.5 * without.estimatedBits);
}

/// Weights of 16 bits and the same with an adapter that moves them by about a third merged.
struct MergedHalves {
  PartShape shape;
  std::vector<std::uint16_t> parent;
  std::vector<std::uint16_t> words;

  MergedHalves(FloatKind kind, std::uint32_t mantissaBits, std::uint32_t rank)
      : shape{{2, mantissaBits, true, false}, kShape.rows, kShape.columns},
        parent(shape.wordCount()),
        words(shape.wordCount()) {
    const auto& kernel = kernels::bestKernels();
    Merged merged(rank);
    kernel.narrow16(merged.parent.data(), kind, parent.size(), parent.data());
    std::vector<float> sums(parent.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = 8 * (merged.words[i] - merged.parent[i]);
    }
    kernel.widen16(parent.data(), kind, parent.size(), merged.parent.data());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += merged.parent[i];
    kernel.narrow16(sums.data(), kind, words.size(), words.data());
  }
};

TEST(WideFit, IsTakenForWordsOf16BitsWhereThePredictorIsSearched) {
  for (const auto& [kind, mantissaBits] :
       {std::pair{FloatKind::F16, 10U}, std::pair{FloatKind::BF16, 7U}}) {
    const MergedHalves merged(kind, mantissaBits, 4);
    const EncodeInput input{merged.shape, std::as_bytes(std::span(merged.words)),
                            std::as_bytes(std::span(merged.parent))};
    const DeltaPlan plan = planDelta(input, {.searchLowRank = true}, {});
    EXPECT_EQ(plan.predictor.id(), PredictorId::WideLowRank) << mantissaBits;
    const DeltaPlan narrow = planDelta(input, {.searchAdapters = false, .searchLowRank = true}, {});
    EXPECT_LT(plan.estimatedBits, 0.8 * narrow.estimatedBits) << mantissaBits;
    std::size_t hits = 0;
    std::vector<std::uint16_t> row(merged.shape.columns);
    for (std::size_t r = 0; r < merged.shape.rows; ++r) {
      const auto parent = std::span(merged.parent).subspan(r * row.size(), row.size());
      plan.predictor.predict<std::uint16_t>(kind, r, 0, parent, {}, row.data());
      for (std::size_t c = 0; c < row.size(); ++c) {
        hits += row[c] == merged.words[r * row.size() + c] ? 1U : 0U;
      }
    }
    EXPECT_GT(hits, merged.words.size() * 3 / 4) << mantissaBits;
  }
}

TEST(WideFit, FindsNoRankInRandomChangesOf16Bits) {
  MergedHalves merged(FloatKind::F16, 10, 1);
  std::mt19937 random(5);
  merged.words = merged.parent;
  for (auto& word : merged.words) word ^= static_cast<std::uint16_t>(random() % 64);
  const EncodeInput input{merged.shape, std::as_bytes(std::span(merged.words)),
                          std::as_bytes(std::span(merged.parent))};
  EXPECT_NE(planDelta(input, {.searchLowRank = true}, {}).predictor.id(), PredictorId::WideLowRank);
}

TEST(WideFactors, AddTheSameFromAnyColumnOn) {
  const Merged merged(4);
  const WideFactors factors = merged.fit().quantized(1.0 / 16);
  std::vector<std::uint32_t> parent(kShape.columns);
  for (std::size_t c = 0; c < parent.size(); ++c) {
    parent[c] = std::bit_cast<std::uint32_t>(merged.parent[c + 700]);
  }
  std::vector<std::uint32_t> whole(kShape.columns);
  addWideFactors<std::uint32_t>(factors, FloatKind::F32, 10, 0, parent, whole.data());
  for (std::size_t first = 1; first < kShape.columns; ++first) {
    std::vector<std::uint32_t> tail(kShape.columns - first);
    addWideFactors<std::uint32_t>(factors, FloatKind::F32, 10, first,
                                  std::span(parent).subspan(first), tail.data());
    ASSERT_TRUE(std::equal(tail.begin(), tail.end(), whole.begin() + static_cast<int>(first)));
  }
}

std::vector<std::byte> written(const WideFactors& factors) {
  ByteWriter out;
  writeWideFactors(out, factors);
  return out.take();
}

std::optional<WideFactors> read(std::span<const std::byte> bytes, const PartShape& shape = kShape) {
  ByteReader in(bytes);
  auto factors = readWideFactors(in, shape);
  return in.rest().empty() ? factors : std::nullopt;
}

WideFactors factorsOf(std::uint32_t rank, std::int32_t row, std::int32_t column) {
  return {rank, -50, std::vector<std::int32_t>(rank * kShape.rows, row),
          std::vector<std::int32_t>(rank * kShape.columns, column)};
}

TEST(WideFactors, AreReadAsTheyWereWritten) {
  const WideFactors factors = Merged(4).fit().quantized(1.0 / 64);
  ASSERT_EQ(factors.rank, 4U);
  const auto back = read(written(factors));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rank, factors.rank);
  EXPECT_EQ(back->scaleLog2, factors.scaleLog2);
  EXPECT_EQ(back->rows, factors.rows);
  EXPECT_EQ(back->columns, factors.columns);
}

TEST(WideFactors, AreRejectedWhenCutAtAnyByte) {
  const auto bytes = written(Merged(2).fit().quantized(1.0 / 16));
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    EXPECT_FALSE(read(std::span(bytes).first(kept))) << kept;
  }
}

TEST(WideFactors, AreRejectedIfTheirSumsCouldPassTwoToThe62) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  EXPECT_TRUE(read(written(factorsOf(1, kLeast, 2147483647))));
  EXPECT_FALSE(read(written(factorsOf(1, kLeast, kLeast))));
  EXPECT_FALSE(read(written(factorsOf(2, 1 << 30, std::numeric_limits<std::int32_t>::min()))));
  EXPECT_TRUE(read(written(factorsOf(2, 1 << 30, (1 << 30) - 1))));
}

TEST(WideFactors, AreRejectedIfTheirScaleOrRankIsOutOfRange) {
  WideFactors factors = factorsOf(2, 1, 1);
  for (const std::int32_t scale : {-201, 201, 1'000'000}) {
    factors.scaleLog2 = scale;
    EXPECT_FALSE(read(written(factors))) << scale;
  }
  PartShape narrow = kShape;
  narrow.columns = 3;
  for (const std::uint32_t rank : {3U, 4U, 255U}) {
    const WideFactors many{rank, 0, std::vector<std::int32_t>(rank * narrow.rows, 1),
                           std::vector<std::int32_t>(rank * narrow.columns, 1)};
    EXPECT_EQ(read(written(many), narrow).has_value(), rank == 3) << rank;
  }
}

}  // namespace
}  // namespace strata
