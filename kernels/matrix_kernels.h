#pragma once

#include <cstddef>

#include "kernels/cpu_kernels.h"

namespace strata::kernels {

/// Vectors that a matrix is multiplied by at a time. They lie side by side: vectors[i] is entry i
/// of all of them.
inline constexpr std::size_t kVectorBatch = 16;

/// Products of a matrix, row by row, with a few vectors: what its truncated SVD spends its time on.
/// Sums are in f32 and in the order of the matrix, without fused additions, so that all sets give
/// the same bits.
struct MatrixKernels {
  /// y[r][k] += sum over c of m[r * columns + c] * x[c][k].
  void (*multiply)(const float* m, std::size_t rows, std::size_t columns, const float* x,
                   float* y) noexcept;
  /// x[c][k] += sum over r of m[r * columns + c] * y[r][k].
  void (*multiplyTransposed)(const float* m, std::size_t rows, std::size_t columns, const float* y,
                             float* x) noexcept;
};

/// Those that go with a set of usableKernels().
const MatrixKernels& matrixKernels(const CpuKernels& set) noexcept;
/// Those that go with bestKernels().
const MatrixKernels& bestMatrixKernels() noexcept;

}  // namespace strata::kernels
