#include "core/codec/predict/truncated_svd.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace strata {
namespace {

constexpr int kOversampling = 8;

Eigen::MatrixXf orthonormal(const Eigen::MatrixXf& m) {
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(m);
  return qr.householderQ() * Eigen::MatrixXf::Identity(m.rows(), m.cols());
}

}  // namespace

TruncatedSvd truncatedSvd(const MatrixView& m, int rank) {
  const auto width = std::min<Eigen::Index>({rank + kOversampling, m.rows(), m.cols()});
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Eigen::MatrixXf probe(m.cols(), width);
  for (Eigen::Index i = 0; i < probe.size(); ++i) probe.data()[i] = normal(random);
  Eigen::MatrixXf q = orthonormal(thinProduct(m, probe));
  q = orthonormal(thinProduct(m, orthonormal(transposedThinProduct(m, q))));
  const Eigen::MatrixXf b = transposedThinProduct(m, q);
  const Eigen::MatrixXd gram = b.cast<double>().transpose() * b.cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const auto kept = std::min<Eigen::Index>(rank, width);
  TruncatedSvd svd{Eigen::MatrixXf(m.rows(), kept), Eigen::MatrixXf(m.cols(), kept), 0, 0};
  for (Eigen::Index k = 0; k < kept; ++k) {
    const Eigen::Index at = width - 1 - k;  // eigenvalues rise
    const double value = std::sqrt(std::max(eigen.eigenvalues()[at], 1e-300));
    if (k == 0) svd.largest = value;
    svd.energy += value * value;
    const Eigen::VectorXf u = eigen.eigenvectors().col(at).cast<float>();
    const auto root = static_cast<float>(std::sqrt(value));
    svd.left.col(k) = q * u * root;
    svd.right.col(k) = b * u / root;
  }
  return svd;
}

}  // namespace strata
