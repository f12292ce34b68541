#pragma once

#include <string>
#include <vector>

#include "tests/support/part_samples.h"
#include "tests/support/version_store.h"
#include "tests/unit/match/synthetic_model.h"

namespace strata::test {

inline std::string textOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A matrix as a weight of a MemoryModel: f32, f16 or bf16.
inline MemoryModel::Weight weightOf(std::string name, const Matrix& matrix,
                                    ElementType type = ElementType::F32) {
  return {
      std::move(name), type, {matrix.rows, matrix.columns}, textOf(wordsOf(matrix.values, type))};
}

/// A model of one file.
inline std::unique_ptr<MemoryModel> modelOf(const std::vector<MemoryModel::Weight>& weights) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "a header of some length\n", weights, "a tail");
  return model;
}

/// Bytes of a model's weights.
inline std::uint64_t weightBytes(const MemoryModel& model) {
  std::uint64_t sum = 0;
  for (const TensorInfo& tensor : model.description().tensors) sum += tensor.byteCount;
  return sum;
}

}  // namespace strata::test
