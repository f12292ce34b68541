#pragma once

#include <Eigen/Dense>
#include <span>

#include "core/codec/codec.h"

namespace strata {

/// A part's values as a matrix, row by row; borrowed.
using MatrixView =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// `values` holds shape.wordCount() numbers.
MatrixView matrixView(const PartShape& shape, std::span<const float> values);

/// m * right, where `right` has few columns. The same bits on every machine.
Eigen::MatrixXf thinProduct(const MatrixView& m, const Eigen::MatrixXf& right);

/// m^T * left, where `left` has few columns. The same bits on every machine.
Eigen::MatrixXf transposedThinProduct(const MatrixView& m, const Eigen::MatrixXf& left);

}  // namespace strata
