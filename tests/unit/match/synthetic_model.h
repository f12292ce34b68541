#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/match/matcher.h"
#include "core/model/model_source.h"

namespace strata::test {

/// Weights as f32, and what they are called and shaped.
struct SyntheticWeight {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
  ElementType type = ElementType::F32;
  std::string place = {};
};

/// A matrix by rows, for building weights out of others.
struct Matrix {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<float> values;

  float at(std::uint64_t row, std::uint64_t column) const { return values[row * columns + column]; }
};

Matrix gaussian(std::uint64_t rows, std::uint64_t columns, unsigned seed, float deviation = 0.05F,
                float mean = 0);
/// Each weight changed by about `relative` of the matrix's spread.
Matrix tuned(const Matrix& matrix, unsigned seed, float relative = 0.02F);
Matrix transposed(const Matrix& matrix);
Matrix rowsOf(const Matrix& matrix, std::uint64_t first, std::uint64_t count);
Matrix columnsOf(const Matrix& matrix, std::uint64_t first, std::uint64_t count);
Matrix stackedRows(const std::vector<Matrix>& parts);
Matrix besideColumns(const std::vector<Matrix>& parts);

SyntheticWeight weight(std::string name, const Matrix& matrix, ElementType type = ElementType::F32,
                       std::string place = {});
/// The same with shape {n}.
SyntheticWeight vectorWeight(std::string name, const Matrix& matrix);

/// A model in memory, as a variant and as a parent. Both views live as long as the model.
class SyntheticModel {
 public:
  explicit SyntheticModel(const std::vector<SyntheticWeight>& weights);
  SyntheticModel(const SyntheticModel&) = delete;
  SyntheticModel& operator=(const SyntheticModel&) = delete;

  /// A weight with any bytes, for what is no float.
  void addBytes(std::string name, ElementType type, const std::vector<std::uint64_t>& shape,
                const std::vector<std::byte>& bytes);

  ModelDescription description() const;

 private:
  std::vector<std::byte> file_;
  std::vector<TensorInfo> tensors_;
};

/// Serves any described model as a parent and counts what is decoded for it.
class DescribedParent final : public ParentModel {
 public:
  explicit DescribedParent(ModelDescription model);

  std::span<const ParentTensor> tensors() const noexcept override { return tensors_; }
  Result<void> read(std::uint32_t file, std::uint64_t offset,
                    std::span<std::byte> out) const override;

  std::size_t readCount() const noexcept { return readCount_; }

 private:
  ModelDescription model_;
  std::vector<ParentTensor> tensors_;
  mutable std::size_t readCount_ = 0;
};

/// The matches of `variant` against `parent`; fails the test where matching fails or where the
/// parts of a tensor do not cover it in order.
std::vector<TensorMatch> matchOrFail(const ModelDescription& variant, const ParentModel& parent,
                                     const MatchOptions& options = {});
std::vector<TensorMatch> matchOrFail(const SyntheticModel& variant, const SyntheticModel& parent,
                                     const MatchOptions& options = {});

/// Mean bits of the difference of all words of a matched part, walked as docs/FORMAT.md says; the
/// types must be f32.
double meanDifferenceBits(const ModelDescription& variant, std::size_t tensor,
                          const PartMatch& part, const ModelDescription& parent);

}  // namespace strata::test
