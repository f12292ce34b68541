#include "tests/support/training_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>
#include <span>
#include <utility>

#include "core/codec/words/cast.h"

namespace strata::test {
namespace {

std::string textOf(const std::vector<std::uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
}

std::size_t countOf(const std::vector<std::uint64_t>& shape) {
  std::size_t count = 1;
  for (const std::uint64_t dimension : shape) count *= dimension;
  return count;
}

}  // namespace

TrainingRun::TrainingRun(std::vector<Layer> layers, unsigned seed) : seed_(seed) {
  for (Layer& layer : layers) {
    const std::size_t count = countOf(layer.shape);
    const std::string floats = randomFloats(count, seed_++);
    State state{std::move(layer), Words(count), Words(count), Words(count)};
    std::memcpy(state.weights.data(), floats.data(), floats.size());
    states_.push_back(std::move(state));
  }
  for (int warm = 0; warm < 3; ++warm) step();
}

void TrainingRun::step(double rate, const AdamVariant& variant) {
  step_ = {};
  step_.variant = variant;
  step_.lr = rate;
  step_.weightDecay = 0.01;
  if (variant.update == kernels::UpdateForm::Drift) {
    step_.earlierLr = rate / 2;
    step_.squareShare = 0.002;
  }
  step_.setNumber(++number_);
  std::mt19937 random(seed_++);
  std::normal_distribution<float> normal(0, 0.003F);
  for (State& state : states_) {
    const Words before = state.first;
    const Words weightsBefore = state.weights;
    const std::size_t columns = state.first.size() / state.layer.shape.front();
    for (std::size_t i = 0; i < state.first.size(); ++i) {
      std::uint32_t& word = state.first[i];
      const bool isTouched = (i / columns + number_) % period_ == 0;
      const float gradient = isTouched ? normal(random) : 0.0F;
      word = std::bit_cast<std::uint32_t>(0.9F * std::bit_cast<float>(word) + 0.1F * gradient);
    }
    predictSecondMoment(step_, before, state.first, state.second, state.second);
    for (std::size_t i = 7; i < state.second.size(); i += 1009) state.second[i] ^= 1;
    predictWeights(step_, weightsBefore, state.first, state.second, state.weights, before);
    for (std::size_t i = 3; i < state.weights.size(); i += 5003) state.weights[i] ^= 1;
  }
}

std::unique_ptr<MemoryModel> TrainingRun::snapshot() const {
  std::vector<MemoryModel::Weight> weights;
  for (const State& state : states_) {
    const auto& [name, shape] = state.layer;
    weights.push_back({name, ElementType::F32, shape, textOf(state.weights)});
  }
  return modelOf(weights, {});
}

std::unique_ptr<MemoryModel> TrainingRun::mixedSnapshot(ElementType type,
                                                        const std::string& masterName) const {
  std::vector<MemoryModel::Weight> weights;
  std::vector<MemoryModel::Weight> masters;
  for (const State& state : states_) {
    const auto& [name, shape] = state.layer;
    const std::string floats = textOf(state.weights);
    std::string halves(floats.size() / 2, '\0');
    castWords(ElementType::F32, std::as_bytes(std::span(floats)), type,
              std::as_writable_bytes(std::span(halves)));
    masters.push_back(
        {masterName + std::to_string(weights.size()), ElementType::F32, shape, floats});
    weights.push_back({name, type, shape, std::move(halves)});
  }
  return modelOf(weights, std::move(masters));
}

/// The weights in one file, both moments and `others` in another.
std::unique_ptr<MemoryModel> TrainingRun::modelOf(const std::vector<MemoryModel::Weight>& weights,
                                                  std::vector<MemoryModel::Weight> others) const {
  std::vector<MemoryModel::Weight> moments;
  for (const State& state : states_) {
    const auto& [name, shape] = state.layer;
    moments.push_back({name + ".exp_avg", ElementType::F32, shape, textOf(state.first)});
    moments.push_back({name + ".exp_avg_sq", ElementType::F32, shape, textOf(state.second)});
  }
  std::ranges::move(others, std::back_inserter(moments));
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "weights of a run\n", weights);
  model->addFile("optimizer.pt", "moments of a run\n", moments,
                 "step " + std::to_string(number_) + "\n");
  for (TensorInfo& tensor : model->description().tensors) {
    if (tensor.name.ends_with(".exp_avg")) tensor.kind = TensorKind::FirstMoment;
    if (tensor.name.ends_with(".exp_avg_sq")) tensor.kind = TensorKind::SecondMoment;
  }
  model->description().metadata.emplace_back("step", std::to_string(number_));
  return model;
}

std::vector<StepGroup> TrainingRun::groups() const {
  std::vector<StepGroup> groups;
  const auto count = static_cast<std::uint32_t>(states_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    groups.push_back({.weights = i,
                      .firstMoment = count + 2 * i,
                      .secondMoment = count + 2 * i + 1,
                      .steps = {step_}});
  }
  return groups;
}

std::vector<StepGroup> TrainingRun::groupsApart(std::uint64_t apart) const {
  AdamStep drift = step_;
  const auto count = static_cast<double>(apart);
  drift.variant.update = kernels::UpdateForm::Drift;
  drift.beta1 = std::pow(step_.beta1, count);
  drift.beta2 = std::pow(step_.beta2, count);
  drift.squareShare = 1 - drift.beta2;
  drift.weightDecay = step_.weightDecay * count;
  drift.earlierLr = drift.lr;
  std::vector<StepGroup> all = groups();
  for (StepGroup& group : all) group.steps = {drift};
  return all;
}

std::uint64_t TrainingRun::stateBytes() const noexcept {
  std::uint64_t sum = 0;
  for (const State& state : states_) sum += state.weights.size() * sizeof state.weights[0];
  return sum;
}

}  // namespace strata::test
