#include "core/codec/predict/thin_products.h"

#include <vector>

#include "kernels/matrix_kernels.h"

namespace strata {
namespace {

using Eigen::Index;

/// Some columns of a matrix side by side, as the kernels take them.
using Batch =
    Eigen::Matrix<float, Eigen::Dynamic, static_cast<int>(kernels::kVectorBatch), Eigen::RowMajor>;
using Product = decltype(kernels::MatrixKernels::multiply);

/// The product with `vectors`, batch by batch; a result of `entries` rows.
Eigen::MatrixXf batched(const MatrixView& m, const Eigen::MatrixXf& vectors, Index entries,
                        Product product) {
  constexpr Index kBatch = kernels::kVectorBatch;
  Eigen::MatrixXf result(entries, vectors.cols());
  Batch from(vectors.rows(), kBatch);
  Batch to(entries, kBatch);
  for (Index first = 0; first < vectors.cols(); first += kBatch) {
    const Index count = std::min(kBatch, vectors.cols() - first);
    from.leftCols(count) = vectors.middleCols(first, count);
    from.rightCols(kBatch - count).setZero();
    to.setZero();
    product(m.data(), static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()),
            from.data(), to.data());
    result.middleCols(first, count) = to.leftCols(count);
  }
  return result;
}

}  // namespace

MatrixView matrixView(const PartShape& shape, std::span<const float> values) {
  return {values.data(), static_cast<Index>(shape.rows), static_cast<Index>(shape.columns)};
}

Eigen::MatrixXf thinProduct(const MatrixView& m, const Eigen::MatrixXf& right) {
  return batched(m, right, m.rows(), kernels::bestMatrixKernels().multiply);
}

Eigen::MatrixXf transposedThinProduct(const MatrixView& m, const Eigen::MatrixXf& left) {
  return batched(m, left, m.cols(), kernels::bestMatrixKernels().multiplyTransposed);
}

}  // namespace strata
