#include "core/codec/published/dct.h"

#include <algorithm>
#include <array>

#include "kernels/cpu_kernels.h"

namespace strata {
namespace {

/// round(2^17 * sqrt(1 / 32) * cos(j * pi / 128)); docs/FORMAT.md lists them, too.
constexpr std::array<std::int16_t, 65> kCosines{
    23170, 23163, 23143, 23108, 23059, 22996, 22920, 22829, 22725, 22607, 22476, 22331, 22173,
    22001, 21816, 21618, 21407, 21183, 20946, 20696, 20435, 20160, 19874, 19576, 19266, 18944,
    18611, 18266, 17911, 17545, 17168, 16781, 16384, 15977, 15560, 15134, 14699, 14255, 13803,
    13342, 12873, 12396, 11912, 11421, 10922, 10418, 9907,  9390,  8867,  8339,  7806,  7268,
    6726,  6180,  5630,  5077,  4520,  3961,  3400,  2836,  2271,  1705,  1137,  569,   0};

/// cos(j * pi / 128) in those units for any j.
constexpr std::int16_t cosine(unsigned j) {
  const unsigned turn = j % 256;
  const unsigned half = turn > 128 ? 256 - turn : turn;
  return half > 64 ? static_cast<std::int16_t>(-kCosines[128 - half]) : kCosines[half];
}

using Basis = std::array<std::array<std::int16_t, kDctWords>, kDctWords>;

/// One row a coefficient. That of k = 0 is sqrt(1 / 64), which is sqrt(1 / 32) * cos(pi / 4).
constexpr Basis makeBasis() {
  Basis basis{};
  for (unsigned k = 0; k < kDctWords; ++k) {
    for (unsigned n = 0; n < kDctWords; ++n) basis[k][n] = cosine(k == 0 ? 32 : (2 * n + 1) * k);
  }
  return basis;
}

constexpr Basis kBasis = makeBasis();

}  // namespace

void inverseDct(const std::int32_t* coefficients, std::int32_t* sums) noexcept {
  const auto accumulate = kernels::bestKernels().accumulate;
  std::fill_n(sums, kDctWords, 0);
  for (unsigned k = 0; k < kDctWords; ++k) {
    if (coefficients[k] != 0) accumulate(kBasis[k].data(), coefficients[k], kDctWords, sums);
  }
}

void forwardDct(const float* values, float* coefficients) noexcept {
  for (unsigned k = 0; k < kDctWords; ++k) {
    float lanes[8] = {};
    for (unsigned n = 0; n < kDctWords; n += 8) {
      for (unsigned i = 0; i < 8; ++i) {
        lanes[i] += values[n + i] * static_cast<float>(kBasis[k][n + i]);
      }
    }
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    coefficients[k] = sum * 0x1p-17F;
  }
}

}  // namespace strata
