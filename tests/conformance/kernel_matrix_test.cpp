// Products of a matrix with a few vectors: every set of kernels against sums in the same order.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/matrix_kernels.h"
#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

constexpr std::size_t kBatch = kernels::kVectorBatch;

struct Shape {
  std::size_t rows;
  std::size_t columns;
};

/// Around the tiles of all sets, in both directions.
constexpr Shape kShapes[] = {{0, 0},  {0, 3},  {3, 0},    {1, 1},    {1, 5000}, {5000, 1},
                             {2, 3},  {3, 17}, {4, 2047}, {5, 2048}, {7, 2049}, {8, 4097},
                             {9, 31}, {17, 6}, {31, 100}, {64, 64}};

std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

class EveryMatrixKernel : public EveryKernelSet {
 protected:
  using Product = decltype(kernels::MatrixKernels::multiply);

  /// A product adds to what is there as plain loops over rows and columns do, bit for bit.
  /// `fromAt(row, column)` and `toAt(row, column)` say which entries belong together.
  template <typename FromAt, typename ToAt>
  static void expectPlainSums(Product product, const Shape& shape, std::size_t fromCount,
                              FromAt&& fromAt, std::size_t toCount, ToAt&& toAt) {
    const auto [rows, columns] = shape;
    const auto m = numbers(rows * columns, 1);
    const auto from = numbers(fromCount * kBatch, 2);
    auto found = numbers(toCount * kBatch, 3);
    auto expected = found;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t k = 0; k < kBatch; ++k) {
          const volatile float term = m[r * columns + c] * from[fromAt(r, c) * kBatch + k];
          expected[toAt(r, c) * kBatch + k] += term;
        }
      }
    }
    product(m.data(), rows, columns, from.data(), found.data());
    EXPECT_EQ(found, expected) << rows << " x " << columns;
  }
};

std::size_t rowOf(std::size_t row, std::size_t) { return row; }
std::size_t columnOf(std::size_t, std::size_t column) { return column; }

TEST_P(EveryMatrixKernel, MultipliesInTheOrderOfColumns) {
  for (const Shape& shape : kShapes) {
    expectPlainSums(kernels::matrixKernels(set()).multiply, shape, shape.columns, columnOf,
                    shape.rows, rowOf);
  }
}

TEST_P(EveryMatrixKernel, MultipliesTheTransposeInTheOrderOfRows) {
  for (const Shape& shape : kShapes) {
    expectPlainSums(kernels::matrixKernels(set()).multiplyTransposed, shape, shape.rows, rowOf,
                    shape.columns, columnOf);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryMatrixKernel, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
