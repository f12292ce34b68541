#pragma once

// Products of a matrix with a few vectors, compiled once per instruction set like the loops of
// loops.h.

#include <cstring>

#include "kernels/matrix_kernels.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// Numbers that one register holds, and rows that the registers there are take at a time.
#if defined(__AVX512F__)
constexpr std::size_t kMatrixLanes = 16;
constexpr std::size_t kMatrixRows = 8;
#elif defined(__AVX2__)
constexpr std::size_t kMatrixLanes = 8;
constexpr std::size_t kMatrixRows = 4;
#else
constexpr std::size_t kMatrixLanes = 4;
constexpr std::size_t kMatrixRows = 2;
#endif
constexpr std::size_t kMatrixParts = kVectorBatch / kMatrixLanes;

/// Columns whose entries of all vectors stay in the second-level cache.
constexpr std::size_t kMatrixTile = 2048;

using MatrixLanes [[gnu::vector_size(kMatrixLanes * sizeof(float))]] = float;

/// One entry of all vectors.
struct MatrixEntry {
  MatrixLanes parts[kMatrixParts];

  // Part by part: copied as a whole they would go through memory.
  void load(const float* from) noexcept {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kMatrixParts; ++i) {
      MatrixLanes part;
      std::memcpy(&part, from + i * kMatrixLanes, sizeof part);
      parts[i] = part;
    }
  }
  void store(float* to) const noexcept {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kMatrixParts; ++i) {
      const MatrixLanes part = parts[i];
      std::memcpy(to + i * kMatrixLanes, &part, sizeof part);
    }
  }
  void add(float factor, const MatrixEntry& entry) noexcept {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kMatrixParts; ++i) parts[i] += factor * entry.parts[i];
  }
};

/// kRows rows of `m`, `stride` numbers apart, of which `count` columns are looked at.
template <std::size_t kRows>
void multiplyRows(const float* m, std::size_t stride, std::size_t count, const float* x,
                  float* y) noexcept {
  MatrixEntry sums[kRows];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) sums[r].load(y + r * kVectorBatch);
  for (std::size_t c = 0; c < count; ++c) {
    MatrixEntry entry;
    entry.load(x + c * kVectorBatch);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) sums[r].add(m[r * stride + c], entry);
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) sums[r].store(y + r * kVectorBatch);
}

template <std::size_t kRows>
void multiplyRowsTransposed(const float* m, std::size_t stride, std::size_t count, float* x,
                            const float* y) noexcept {
  MatrixEntry entries[kRows];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) entries[r].load(y + r * kVectorBatch);
  for (std::size_t c = 0; c < count; ++c) {
    MatrixEntry sum;
    sum.load(x + c * kVectorBatch);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) sum.add(m[r * stride + c], entries[r]);
    sum.store(x + c * kVectorBatch);
  }
}

/// One of the loops above: of either side it reads one and adds to the other.
template <typename X, typename Y>
using MatrixRowLoop = void (*)(const float* m, std::size_t stride, std::size_t count, X* x,
                               Y* y) noexcept;

/// Calls `many` for tiles of kMatrixRows rows, `one` for those of single rows.
template <typename X, typename Y>
inline void forEachTile(const float* m, std::size_t rows, std::size_t columns, X* x, Y* y,
                        MatrixRowLoop<X, Y> many, MatrixRowLoop<X, Y> one) noexcept {
  for (std::size_t column = 0; column < columns; column += kMatrixTile) {
    const std::size_t count = columns - column < kMatrixTile ? columns - column : kMatrixTile;
    for (std::size_t row = 0; row < rows;) {
      const bool isWhole = row + kMatrixRows <= rows;
      (isWhole ? many : one)(m + row * columns + column, columns, count, x + column * kVectorBatch,
                             y + row * kVectorBatch);
      row += isWhole ? kMatrixRows : 1;
    }
  }
}

void multiply(const float* m, std::size_t rows, std::size_t columns, const float* x,
              float* y) noexcept {
  forEachTile(m, rows, columns, x, y, multiplyRows<kMatrixRows>, multiplyRows<1>);
}

void multiplyTransposed(const float* m, std::size_t rows, std::size_t columns, const float* y,
                        float* x) noexcept {
  forEachTile(m, rows, columns, x, y, multiplyRowsTransposed<kMatrixRows>,
              multiplyRowsTransposed<1>);
}

constexpr MatrixKernels plainMatrixKernels() noexcept {
  return {.multiply = multiply, .multiplyTransposed = multiplyTransposed};
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
