#pragma once

#include <cstdint>

namespace strata {

/// Words of one block of the cosine transform, as in DCTZ (J. Zhang, X. Zhuo, A. Moon, H. Liu, S.
/// Son, MSST 2019).
inline constexpr unsigned kDctWords = 64;
/// Samples are in units of 2^-17 of what coefficients are in.
inline constexpr unsigned kDctShift = 17;
/// Coefficients of one block whose magnitudes sum to at most this stay within 32 bits.
inline constexpr std::uint32_t kMostDctSum = (1U << 14) - 1;

/// sums[n] = sum over k of coefficients[k] * round(2^17 * c_k * cos((2n + 1) k pi / 128)), the
/// inverse of the orthonormal cosine transform in integers: the same on every machine. The
/// magnitudes of the coefficients sum to at most kMostDctSum.
void inverseDct(const std::int32_t* coefficients, std::int32_t* sums) noexcept;

/// The transform of 64 values with the same basis; for encoders.
void forwardDct(const float* values, float* coefficients) noexcept;

}  // namespace strata
