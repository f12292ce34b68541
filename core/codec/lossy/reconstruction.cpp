#include "core/codec/lossy/reconstruction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/codec/predict/low_rank.h"

namespace strata {

void addFactors(const LowRankFactors& factors, const PartShape& shape, std::uint64_t first,
                std::span<float> values) {
  if (factors.rank == 0) return;
  constexpr std::size_t kPiece = 1024;
  std::uint32_t words[kPiece];
  for (std::size_t at = 0; at < values.size();) {
    const std::uint64_t row = (first + at) / shape.columns;
    const std::uint64_t column = (first + at) % shape.columns;
    const auto n = static_cast<std::size_t>(
        std::min<std::uint64_t>({kPiece, values.size() - at, shape.columns - column}));
    std::memcpy(words, values.data() + at, n * sizeof(float));
    addLowRank<std::uint32_t>(factors, kernels::FloatKind::F32, row, column, {words, n}, words);
    std::memcpy(values.data() + at, words, n * sizeof(float));
    at += n;
  }
}

double energyOf(std::span<const float> values) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= values.size(); i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) {
      sums[j] += static_cast<double>(values[i + j]) * values[i + j];
    }
  }
  for (std::size_t j = 0; i + j < values.size(); ++j) {
    sums[j] += static_cast<double>(values[i + j]) * values[i + j];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double unbiasedGain(double energy, double projection, double power) noexcept {
  if (projection <= 0) return 1;
  return std::min(std::pow(energy / projection, power), 1000.0);
}

}  // namespace strata
