#include "core/codec/predict/low_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codec/predict/factor_planes.h"
#include "core/codec/predict/truncated_svd.h"

namespace strata {
namespace {

using kernels::FloatKind;

constexpr std::uint32_t kMostComponents = 255;
/// Sums below this are exact as floats.
constexpr std::int64_t kExactSum = std::int64_t{1} << 24;
constexpr std::int32_t kScaleRange = 90;
/// Steps of the factors against the root mean square of the first component's.
constexpr double kFinestStep = 0.008;
constexpr double kCoarsestStep = 0.35;

/// Whether every row's sum stays exact whatever the column.
bool sumsAreExact(const LowRankFactors& f, const PartShape& shape) {
  std::vector<std::int64_t> largest(f.rank, 0);
  for (std::uint32_t k = 0; k < f.rank; ++k) {
    for (std::uint64_t c = 0; c < shape.columns; ++c) {
      largest[k] = std::max<std::int64_t>(largest[k], std::abs(f.columns[k * shape.columns + c]));
    }
  }
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    std::int64_t sum = 0;
    for (std::uint32_t k = 0; k < f.rank; ++k) {
      sum += std::abs(f.rows[r * f.rank + k]) * largest[k];
    }
    if (sum >= kExactSum) return false;
  }
  return true;
}

std::int16_t quantized(float value, double step) {
  const double q = std::nearbyint(value / step);
  return static_cast<std::int16_t>(std::clamp(q, -2047.0, 2047.0));
}

/// A step at which one more bit per factor costs as much as it saves in what the factors leave:
/// merged adapters leave little but rounding and want fine factors.
double stepFor(const TruncatedSvd& svd, double energy) {
  const auto rows = static_cast<double>(svd.left.rows());
  const auto columns = static_cast<double>(svd.right.rows());
  const double left = std::max(energy - svd.energy, 0.0);
  const double step = std::sqrt(6 * (1 / rows + 1 / columns) * left) / svd.largest;
  return std::clamp(step, kFinestStep, kCoarsestStep);
}

/// Rank 0 where the scale is out of range.
LowRankFactors quantizedFactors(const TruncatedSvd& svd, double relativeStep) {
  const auto stepLog2 = [&](Eigen::Index count) {
    const double rms = std::sqrt(svd.largest / static_cast<double>(count));
    return static_cast<std::int32_t>(std::lround(std::log2(relativeStep * rms)));
  };
  const std::int32_t rowStep = stepLog2(svd.left.rows());
  const std::int32_t columnStep = stepLog2(svd.right.rows());
  LowRankFactors factors;
  factors.scaleLog2 = rowStep + columnStep;
  if (std::abs(factors.scaleLog2) > kScaleRange) return {};
  factors.rank = static_cast<std::uint32_t>(svd.left.cols());
  for (Eigen::Index r = 0; r < svd.left.rows(); ++r) {
    for (Eigen::Index k = 0; k < svd.left.cols(); ++k) {
      factors.rows.push_back(quantized(svd.left(r, k), std::ldexp(1.0, rowStep)));
    }
  }
  for (Eigen::Index k = 0; k < svd.right.cols(); ++k) {
    for (Eigen::Index c = 0; c < svd.right.rows(); ++c) {
      factors.columns.push_back(quantized(svd.right(c, k), std::ldexp(1.0, columnStep)));
    }
  }
  return factors;
}

}  // namespace

template <typename Word>
void addLowRank(const LowRankFactors& factors, FloatKind kind, std::uint64_t row,
                std::uint64_t firstColumn, std::span<const Word> parent, Word* out) {
  constexpr std::size_t kPiece = 1024;
  const auto& kernel = kernels::bestKernels();
  const std::uint64_t columns = factors.columns.size() / factors.rank;
  const float scale = std::ldexp(1.0F, factors.scaleLog2);
  std::int32_t sums[kPiece];
  for (std::size_t start = 0; start < parent.size(); start += kPiece) {
    const std::size_t n = std::min(kPiece, parent.size() - start);
    std::fill_n(sums, n, 0);
    for (std::uint32_t k = 0; k < factors.rank; ++k) {
      const std::int16_t factor = factors.rows[row * factors.rank + k];
      const std::int16_t* column = factors.columns.data() + k * columns + firstColumn + start;
      if (factor != 0) kernel.accumulate(column, factor, n, sums);
    }
    if constexpr (sizeof(Word) == 2) {
      kernel.addScaled16(parent.data() + start, sums, scale, kind, n, out + start);
    } else {
      kernel.addScaled32(parent.data() + start, sums, scale, n, out + start);
    }
  }
}

template void addLowRank(const LowRankFactors&, FloatKind, std::uint64_t, std::uint64_t,
                         std::span<const std::uint16_t>, std::uint16_t*);
template void addLowRank(const LowRankFactors&, FloatKind, std::uint64_t, std::uint64_t,
                         std::span<const std::uint32_t>, std::uint32_t*);

LowRankFactors fitLowRank(const PartShape& shape, std::span<const float> residual,
                          std::uint32_t rank) {
  const MatrixView m = matrixView(shape, residual);
  const double squares = m.cast<double>().squaredNorm();
  if (!std::isfinite(squares) || squares == 0) return {};
  const TruncatedSvd svd = truncatedSvd(m, static_cast<int>(std::min(rank, kMostComponents)));
  for (double step = stepFor(svd, squares); step < 1; step *= 2) {
    LowRankFactors factors = quantizedFactors(svd, step);
    if (factors.rank != 0 && sumsAreExact(factors, shape)) return factors;
  }
  return {};
}

LowRankFactors truncated(const LowRankFactors& factors, const PartShape& shape,
                         std::uint32_t rank) {
  LowRankFactors kept;
  kept.rank = std::min(rank, factors.rank);
  kept.scaleLog2 = factors.scaleLog2;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const auto row = factors.rows.begin() + static_cast<std::ptrdiff_t>(r * factors.rank);
    kept.rows.insert(kept.rows.end(), row, row + kept.rank);
  }
  const auto count = static_cast<std::ptrdiff_t>(kept.rank * shape.columns);
  kept.columns.assign(factors.columns.begin(), factors.columns.begin() + count);
  return kept;
}

void writeLowRank(ByteWriter& out, const LowRankFactors& factors) { writeFactors(out, factors); }

std::optional<LowRankFactors> readLowRank(ByteReader& in, const PartShape& shape) {
  LowRankFactors factors;
  if (!readFactors(in, shape, kScaleRange, factors)) return std::nullopt;
  if (!sumsAreExact(factors, shape)) return std::nullopt;
  return factors;
}

}  // namespace strata
