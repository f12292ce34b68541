#include "core/codec/predict/low_rank.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace strata {
namespace {

using kernels::FloatKind;

constexpr PartShape kShape{{4, 23, true, false}, 90, 70};

std::vector<float> product(std::uint32_t rank, float noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.1F);
  std::vector<float> a(kShape.rows * rank);
  std::vector<float> b(kShape.columns * rank);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  std::vector<float> sums(kShape.wordCount());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (std::uint32_t k = 0; k < rank; ++k) {
      sums[i] += a[i / kShape.columns * rank + k] * b[i % kShape.columns * rank + k];
    }
    sums[i] += noise * normal(random);
  }
  return sums;
}

/// The part of a residual's energy that the factors leave.
double energyLeft(const LowRankFactors& factors, const std::vector<float>& residual) {
  const std::vector<std::uint32_t> zeros(kShape.columns, 0);
  std::vector<std::uint32_t> row(kShape.columns);
  double left = 0;
  double all = 0;
  for (std::size_t r = 0; r < kShape.rows; ++r) {
    addLowRank<std::uint32_t>(factors, FloatKind::F32, r, 0, zeros, row.data());
    for (std::size_t c = 0; c < kShape.columns; ++c) {
      const double wanted = residual[r * kShape.columns + c];
      left += std::pow(wanted - std::bit_cast<float>(row[c]), 2);
      all += wanted * wanted;
    }
  }
  return left / all;
}

TEST(LowRank, FindsTheFactorsOfAProduct) {
  const auto residual = product(3, 0.02F, 1);
  const LowRankFactors factors = fitLowRank(kShape, residual, 3);
  ASSERT_EQ(factors.rank, 3U);
  EXPECT_LT(energyLeft(factors, residual), 0.05);
}

TEST(LowRank, LeavesMoreTheFewerComponentsAreKept) {
  const auto residual = product(6, 0.02F, 2);
  const LowRankFactors factors = fitLowRank(kShape, residual, 8);
  double last = 1;
  for (const std::uint32_t rank : {1U, 2U, 4U, 6U}) {
    const LowRankFactors kept = truncated(factors, kShape, rank);
    EXPECT_EQ(kept.rank, rank);
    const double left = energyLeft(kept, residual);
    EXPECT_LT(left, last);
    last = left;
  }
}

TEST(LowRank, FindsNothingInZerosAndInWordsThatAreNoNumbers) {
  std::vector<float> residual(kShape.wordCount(), 0.0F);
  EXPECT_EQ(fitLowRank(kShape, residual, 4).rank, 0U);
  residual[77] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fitLowRank(kShape, residual, 4).rank, 0U);
  residual[77] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(fitLowRank(kShape, residual, 4).rank, 0U);
}

TEST(LowRank, AddsTheSameFromAnyColumnOn) {
  const auto residual = product(4, 0.1F, 3);
  const LowRankFactors factors = fitLowRank(kShape, residual, 4);
  std::vector<std::uint32_t> parent(kShape.columns);
  for (std::size_t c = 0; c < parent.size(); ++c) {
    parent[c] = std::bit_cast<std::uint32_t>(residual[c + 700]);
  }
  std::vector<std::uint32_t> whole(kShape.columns);
  addLowRank<std::uint32_t>(factors, FloatKind::F32, 10, 0, parent, whole.data());
  for (std::size_t first = 1; first < kShape.columns; ++first) {
    std::vector<std::uint32_t> tail(kShape.columns - first);
    addLowRank<std::uint32_t>(factors, FloatKind::F32, 10, first, std::span(parent).subspan(first),
                              tail.data());
    ASSERT_TRUE(std::equal(tail.begin(), tail.end(), whole.begin() + static_cast<int>(first)));
  }
}

std::vector<std::byte> written(const LowRankFactors& factors) {
  ByteWriter out;
  writeLowRank(out, factors);
  return out.take();
}

std::optional<LowRankFactors> read(std::span<const std::byte> bytes,
                                   const PartShape& shape = kShape) {
  ByteReader in(bytes);
  auto factors = readLowRank(in, shape);
  return in.rest().empty() ? factors : std::nullopt;
}

TEST(LowRankFactors, AreReadAsTheyWereWritten) {
  const LowRankFactors factors = fitLowRank(kShape, product(4, 0.1F, 4), 4);
  const auto back = read(written(factors));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rank, factors.rank);
  EXPECT_EQ(back->scaleLog2, factors.scaleLog2);
  EXPECT_EQ(back->rows, factors.rows);
  EXPECT_EQ(back->columns, factors.columns);
}

TEST(LowRankFactors, AreRejectedWhenCutAtAnyByte) {
  const auto bytes = written(fitLowRank(kShape, product(2, 0.1F, 5), 2));
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    EXPECT_FALSE(read(std::span(bytes).first(kept))) << kept;
  }
}

TEST(LowRankFactors, AreRejectedIfTheirSumsCouldPassTwoToThe24) {
  LowRankFactors factors{2, 0, std::vector<std::int16_t>(2 * kShape.rows, 2047),
                         std::vector<std::int16_t>(2 * kShape.columns, 2047)};
  EXPECT_TRUE(read(written(factors)));
  factors.rows[4] = 8192;
  EXPECT_FALSE(read(written(factors)));
  factors.rows[4] = std::numeric_limits<std::int16_t>::min();
  EXPECT_FALSE(read(written(factors)));
}

TEST(LowRankFactors, AreRejectedIfTheirScaleIsOutOfRange) {
  LowRankFactors factors = fitLowRank(kShape, product(2, 0.1F, 6), 2);
  for (const std::int32_t scale : {-91, 91, 1'000'000}) {
    factors.scaleLog2 = scale;
    EXPECT_FALSE(read(written(factors))) << scale;
  }
}

TEST(LowRankFactors, AreRejectedIfTheyAreMoreThanRowsOrColumns) {
  // Else a few bytes of repeated values would ask for 255 factors for each of 2^24 rows.
  const PartShape narrow{{4, 23, true, false}, 90, 3};
  for (const std::uint32_t rank : {3U, 4U, 255U}) {
    const LowRankFactors factors{rank, 0, std::vector<std::int16_t>(rank * narrow.rows, 1),
                                 std::vector<std::int16_t>(rank * narrow.columns, 1)};
    EXPECT_EQ(read(written(factors), narrow).has_value(), rank == 3) << rank;
  }
}

}  // namespace
}  // namespace strata
