#include "core/codec/predict/wide_factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/codec/predict/factor_planes.h"

namespace strata {
namespace {

using kernels::FloatKind;

constexpr std::uint64_t kLargestSum = std::uint64_t{1} << 62;

std::uint64_t magnitude(std::int32_t value) {
  return static_cast<std::uint64_t>(std::abs(std::int64_t{value}));
}

}  // namespace

bool WideFactors::sumsFit(const PartShape& shape) const {
  std::vector<std::uint64_t> largest(rank, 0);
  for (std::uint32_t k = 0; k < rank; ++k) {
    for (std::uint64_t c = 0; c < shape.columns; ++c) {
      largest[k] = std::max(largest[k], magnitude(columns[k * shape.columns + c]));
    }
  }
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    std::uint64_t sum = 0;  // a product is at most 2^62, so this cannot wrap
    for (std::uint32_t k = 0; k < rank; ++k) {
      sum += magnitude(rows[r * rank + k]) * largest[k];
      if (sum >= kLargestSum) return false;
    }
  }
  return true;
}

template <typename Word>
void addWideFactors(const WideFactors& factors, FloatKind kind, std::uint64_t row,
                    std::uint64_t firstColumn, std::span<const Word> parent, Word* out) {
  constexpr std::size_t kPiece = 1024;
  const auto& kernel = kernels::bestKernels();
  const std::uint64_t columns = factors.columns.size() / factors.rank;
  const double scale = std::ldexp(1.0, factors.scaleLog2);
  std::array<std::int64_t, kPiece> sums;
  for (std::size_t start = 0; start < parent.size(); start += kPiece) {
    const std::size_t n = std::min(kPiece, parent.size() - start);
    std::fill_n(sums.begin(), n, 0);
    for (std::uint32_t k = 0; k < factors.rank; ++k) {
      const std::int32_t factor = factors.rows[row * factors.rank + k];
      const std::int32_t* column = factors.columns.data() + k * columns + firstColumn + start;
      if (factor != 0) kernel.accumulateWide(column, factor, n, sums.data());
    }
    if constexpr (sizeof(Word) == 2) {
      kernel.addWide16(parent.data() + start, sums.data(), scale, kind, n, out + start);
    } else {
      kernel.addWide32(parent.data() + start, sums.data(), scale, n, out + start);
    }
  }
}

template void addWideFactors(const WideFactors&, FloatKind, std::uint64_t, std::uint64_t,
                             std::span<const std::uint16_t>, std::uint16_t*);
template void addWideFactors(const WideFactors&, FloatKind, std::uint64_t, std::uint64_t,
                             std::span<const std::uint32_t>, std::uint32_t*);

void writeWideFactors(ByteWriter& out, const WideFactors& factors) { writeFactors(out, factors); }

std::optional<WideFactors> readWideFactors(ByteReader& in, const PartShape& shape) {
  WideFactors factors;
  if (!readFactors(in, shape, kWideScaleRange, factors)) return std::nullopt;
  if (!factors.sumsFit(shape)) return std::nullopt;
  return factors;
}

}  // namespace strata
