#pragma once

#include "core/codec/predict/thin_products.h"

namespace strata {

/// The largest components of a matrix: m is about left * right^T.
struct TruncatedSvd {
  Eigen::MatrixXf left;   ///< rows x rank, scaled by the square roots of the singular values
  Eigen::MatrixXf right;  ///< columns x rank, likewise
  double largest = 0;     ///< singular value
  double energy = 0;      ///< sum of the squares of all that were kept
};

/// A randomised truncated SVD (Halko, Martinsson, Tropp 2011) with a fixed probe and one power
/// iteration. All values are finite; the rank is at most that of the shape.
TruncatedSvd truncatedSvd(const MatrixView& m, int rank);

}  // namespace strata
