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

class EveryMatrixKernel : public EveryKernelSet {};

TEST_P(EveryMatrixKernel, MultipliesInTheOrderOfColumns) {
  for (const auto [rows, columns] : kShapes) {
    const auto m = numbers(rows * columns, 1);
    const auto x = numbers(columns * kBatch, 2);
    auto found = numbers(rows * kBatch, 3);
    auto expected = found;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t k = 0; k < kBatch; ++k) {
          const volatile float product = m[r * columns + c] * x[c * kBatch + k];
          expected[r * kBatch + k] += product;
        }
      }
    }
    kernels::matrixKernels(set()).multiply(m.data(), rows, columns, x.data(), found.data());
    EXPECT_EQ(found, expected) << rows << " x " << columns;
  }
}

TEST_P(EveryMatrixKernel, MultipliesTheTransposeInTheOrderOfRows) {
  for (const auto [rows, columns] : kShapes) {
    const auto m = numbers(rows * columns, 4);
    const auto y = numbers(rows * kBatch, 5);
    auto found = numbers(columns * kBatch, 6);
    auto expected = found;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t k = 0; k < kBatch; ++k) {
          const volatile float product = m[r * columns + c] * y[r * kBatch + k];
          expected[c * kBatch + k] += product;
        }
      }
    }
    kernels::matrixKernels(set()).multiplyTransposed(m.data(), rows, columns, y.data(),
                                                     found.data());
    EXPECT_EQ(found, expected) << rows << " x " << columns;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryMatrixKernel, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
