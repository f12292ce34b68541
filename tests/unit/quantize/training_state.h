#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/memory_model.h"

namespace strata::test {

inline constexpr std::size_t kRows = 40;
inline constexpr std::size_t kColumns = 24;
inline constexpr std::size_t kWords = kRows * kColumns;

inline std::string bytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// The state of AdamW after some steps; rows that end in 7 never had a gradient.
struct TrainingState {
  std::vector<float> weights;
  std::vector<float> first = std::vector<float>(kWords);
  std::vector<float> second = std::vector<float>(kWords);
  int steps = 0;

  explicit TrainingState(unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < kWords; ++i) weights.push_back(0.02F * normal());
  }

  /// One step of AdamW in f32, in the order of PyTorch.
  void step() {
    ++steps;
    const auto corrected1 = static_cast<float>(1 - std::pow(0.9, steps));
    const auto corrected2 = static_cast<float>(std::sqrt(1 - std::pow(0.999, steps)));
    for (std::size_t i = 0; i < kWords; ++i) {
      const float gradient = i / kColumns % 10 == 7 ? 0 : 1e-3F * (0.2F + normal());
      first[i] = 0.9F * first[i] + 0.1F * gradient;
      second[i] = 0.999F * second[i] + 0.001F * gradient * gradient;
      weights[i] -= 1e-3F / corrected1 * first[i] / (std::sqrt(second[i]) / corrected2 + 1e-8F);
    }
  }

 private:
  float normal() { return static_cast<float>(normal_(random_)); }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

inline MemoryModel::Weight f32(const std::string& name, const std::vector<float>& values) {
  return {name, ElementType::F32, {kRows, kColumns}, bytesOf(values)};
}

inline std::unique_ptr<MemoryModel> modelOf(const std::vector<MemoryModel::Weight>& weights) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights);
  for (TensorInfo& tensor : model->description().tensors) {
    if (tensor.name.ends_with(".exp_avg")) tensor.kind = TensorKind::FirstMoment;
    if (tensor.name.ends_with(".exp_avg_sq")) tensor.kind = TensorKind::SecondMoment;
  }
  return model;
}

inline std::vector<MemoryModel::Weight> weightsOf(const TrainingState& state) {
  return {f32("body.weight", state.weights), f32("optimizer.body.weight.exp_avg", state.first),
          f32("optimizer.body.weight.exp_avg_sq", state.second)};
}

}  // namespace strata::test
