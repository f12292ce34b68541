#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive/write/steps/step_plan.h"
#include "tests/support/memory_model.h"

namespace strata::test {

/// A model in training, as its trainer would store it after each step: weights in one file, both
/// moments of each in another. The arithmetic is that of predictors; what a trainer's kernel rounds
/// otherwise is a few words of each step.
class TrainingRun {
 public:
  struct Layer {
    std::string name;
    std::vector<std::uint64_t> shape;
  };

  explicit TrainingRun(std::vector<Layer> layers, unsigned seed = 1);

  /// Goes on by one step with learning rate `rate`.
  void step(double rate = 5e-5, const AdamVariant& variant = {});
  /// From now on each step has gradients for one row in `period` alone, as batches of words have
  /// for an embedding: another one each time.
  void touchOneRowIn(std::uint64_t period) { period_ = period; }
  /// The state as it is now.
  std::unique_ptr<MemoryModel> snapshot() const;
  /// The same with weights in `type`, bf16 or f16. The optimizer's file has the f32 words, and
  /// calls them `masterName` and the number of the layer.
  std::unique_ptr<MemoryModel> mixedSnapshot(ElementType type,
                                             const std::string& masterName = "fp32_groups.") const;
  /// The tensors of a snapshot that the last step ties together, with that step.
  std::vector<StepGroup> groups() const;
  /// The same with the last `apart` steps as one.
  std::vector<StepGroup> groupsApart(std::uint64_t apart) const;
  const AdamStep& lastStep() const noexcept { return step_; }
  /// Bytes of one of the three states.
  std::uint64_t stateBytes() const noexcept;

 private:
  using Words = std::vector<std::uint32_t>;
  struct State {
    Layer layer;
    Words weights;
    Words first;
    Words second;
  };

  std::unique_ptr<MemoryModel> modelOf(const std::vector<MemoryModel::Weight>& weights,
                                       std::vector<MemoryModel::Weight> others) const;

  std::vector<State> states_;
  AdamStep step_;
  std::uint64_t number_ = 0;
  std::uint64_t period_ = 1;
  unsigned seed_;
};

}  // namespace strata::test
