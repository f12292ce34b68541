#include "core/archive/write/steps/optimizer_steps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/archive/write/steps/step_fit.h"
#include "core/match/master_copies.h"

namespace strata {
namespace {

constexpr std::string_view kStepKey = "step";
constexpr double kMostRate = 1e6;
constexpr std::size_t kMostGroups = 16;               ///< whose rates are looked for in files
constexpr std::size_t kMostPlaces = 8;                ///< of one rate
constexpr std::uint64_t kMostHeadBytes = 4ULL << 20;  ///< of a file, that are looked through
constexpr std::size_t kNumberBytes = sizeof(double);
constexpr float kMostSteps = 16'777'216;  ///< that a float counts one by one

std::uint64_t stepOf(std::string_view text) {
  std::uint64_t step = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), step);
  return problem == std::errc() && end == text.data() + text.size() ? step : 0;
}

std::uint64_t stepOf(const ModelDescription& model) {
  for (const auto& [key, value] : model.metadata) {
    if (key == kStepKey) return stepOf(value);
  }
  return 0;
}

std::array<std::byte, kNumberBytes> highestFirst(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  std::array<std::byte, kNumberBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(bits >> (8 * (kNumberBytes - 1 - i)));
  }
  return bytes;
}

/// Whether it is worth looking through all names.
bool mayHaveMoments(const ModelDescription& model) {
  if (!model.optimizers.empty() || stepOf(model) != 0) return true;
  return std::ranges::any_of(model.tensors, [](const TensorInfo& tensor) {
    return tensor.kind == TensorKind::FirstMoment;
  });
}

/// What is known of a model's optimizers as lists for fitSteps().
class OptimizerLists {
 public:
  OptimizerLists(const ModelDescription& model, const VersionReader& parent)
      : model_(model), parent_(parent) {}

  Result<std::vector<OptimizerSettings>> run() {
    if (model_.optimizers.empty()) {
      addPlain();
    } else {
      STRATA_TRY(addOptimizers());
    }
    std::erase_if(lists_, [](const OptimizerSettings& list) {
      return list.pairs.empty() || list.settings.stepCount == 0;
    });
    return std::move(lists_);
  }

 private:
  /// A list of all pairs. Both sides may say their step.
  void addPlain() {
    OptimizerSettings& list = lists_.emplace_back();
    list.pairs = pairs({});
    list.settings.step = stepOf(model_);
    std::uint64_t before = 0;
    for (const MetadataEntry& entry : parent_.manifest().metadata) {
      if (entry.key == kStepKey) before = stepOf(entry.value);
    }
    list.settings.stepCount = stepsBetween(before, list.settings.step);
  }

  /// A list for each group of an optimizer.
  Result<void> addOptimizers() {
    std::vector<std::string> params;
    std::map<std::string, std::size_t, std::less<>> listOf;  // by what a state's tensors begin with
    indexSteps();
    for (const OptimizerInfo& info : model_.optimizers) {
      params.insert(params.end(), info.params.begin(), info.params.end());
      for (const std::string& state : info.states) listOf.try_emplace(state, lists_.size());
      STRATA_TRY(const std::uint64_t before, stepInParent(info));
      OptimizerSettings& list = lists_.emplace_back();
      list.settings = settingsOf(info);
      addEarlierRates(info, list.settings.rates);
      list.settings.stepCount = stepsBetween(before, info.step);
    }
    for (const OptimizerPair& pair : pairs(params)) {
      const std::string_view name = model_.tensors[pair.firstMoment].name;
      const auto found = listOf.find(name.substr(0, name.rfind('.') + 1));
      if (found != listOf.end()) lists_[found->second].pairs.push_back(pair);
    }
    return {};
  }

  /// With the words that the optimizer works on: its own copy of weights that have fewer bits.
  std::vector<OptimizerPair> pairs(std::span<const std::string> params) const {
    std::vector<OptimizerPair> found = pairOptimizer(model_, params, findMasters(model_));
    for (OptimizerPair& pair : found) {
      const bool isFloat = model_.tensors[pair.weights].type == ElementType::F32;
      if (pair.master && !isFloat) pair.weights = *pair.master;
    }
    return found;
  }

  static StepSettings settingsOf(const OptimizerInfo& info) {
    StepSettings settings;
    settings.beta1 = info.beta1.value_or(settings.beta1);
    settings.beta2 = info.beta2.value_or(settings.beta2);
    settings.eps = info.epsilon.value_or(settings.eps);
    settings.weightDecay = info.weightDecay.value_or(settings.weightDecay);
    settings.step = info.step;
    if (info.rate) settings.rates.push_back(*info.rate);
    return settings;
  }

  /// Puts what the parent's file has in the places of the rate first. A scheduler moves on before a
  /// checkpoint is written: the rate of a step stands in the checkpoint before it. What is none
  /// costs a try: where no rate gives the words, one is fitted. Of the first groups alone, since
  /// there are as many as the file's maker likes.
  void addEarlierRates(const OptimizerInfo& info, std::vector<double>& rates) {
    if (!info.rate || info.states.empty() || lists_.size() > kMostGroups) return;
    const TensorInfo* const state = stateOf(info);
    if (state == nullptr) return;
    std::vector<double> found;
    for (const std::uint64_t place : placesOf(*info.rate, state->file)) {
      const auto rate = numberOfParent(state->file, place);
      const bool isNew = rate && std::ranges::find(found, *rate) == found.end();
      if (isNew && *rate > 0 && *rate < kMostRate) found.push_back(*rate);
    }
    if (std::ranges::find(found, *info.rate) == found.end()) found.push_back(*info.rate);
    rates = std::move(found);
  }

  /// A tensor of a group's first weight.
  const TensorInfo* stateOf(const OptimizerInfo& info) const {
    const auto found = std::ranges::find_if(model_.tensors, [&](const TensorInfo& tensor) {
      return tensor.name.starts_with(info.states.front());
    });
    return found == model_.tensors.end() ? nullptr : &*found;
  }

  /// Where what stands in front of a file's tensors holds a number as pickles write it: eight
  /// bytes, the highest first.
  std::vector<std::uint64_t> placesOf(double number, std::uint32_t file) {
    const auto [found, isNew] = ratePlaces_.try_emplace({file, number});
    if (!isNew) return found->second;
    std::uint64_t end = std::min<std::uint64_t>(model_.files[file].bytes.size(), kMostHeadBytes);
    for (const TensorInfo& tensor : model_.tensors) {
      if (tensor.file == file) end = std::min(end, tensor.offset);
    }
    std::vector<std::byte> head(end);
    model_.files[file].bytes.copy(0, head);
    const std::array<std::byte, kNumberBytes> wanted = highestFirst(number);
    for (auto at = head.begin(); found->second.size() < kMostPlaces;) {
      at = std::search(at, head.end(), wanted.begin(), wanted.end());
      if (at == head.end()) break;
      found->second.push_back(static_cast<std::uint64_t>(at - head.begin()));
      ++at;
    }
    return found->second;
  }

  /// What the parent has there in the file of the same name, or in its only one.
  std::optional<double> numberOfParent(std::uint32_t file, std::uint64_t place) const {
    const std::vector<ManifestFile>& files = parent_.manifest().files;
    const auto named = std::ranges::find(files, model_.files[file].path, &ManifestFile::path);
    const auto theirs = files.size() == 1 ? files.begin() : named;
    if (theirs == files.end() || place + kNumberBytes > theirs->byteCount) return std::nullopt;
    std::array<std::byte, kNumberBytes> bytes{};
    const auto number = static_cast<std::uint32_t>(theirs - files.begin());
    if (!parent_.read(number, place, bytes)) return std::nullopt;
    std::uint64_t bits = 0;
    for (const std::byte byte : bytes) bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
    return std::bit_cast<double>(bits);
  }

  /// 0 where the model is not later; 1 where that is not known.
  static std::uint64_t stepsBetween(std::uint64_t before, std::uint64_t after) {
    if (before == 0 || after == 0) return 1;
    return after > before ? after - before : 0;
  }

  /// What may be steps in the parent: there are as many groups as its maker likes.
  void indexSteps() {
    for (const ManifestTensor& tensor : parent_.manifest().tensors) {
      const bool isOne = tensor.type == ElementType::F32 && tensor.shape.empty() &&
                         tensor.name.ends_with(kStepKey);
      if (isOne) stepsOfParent_.try_emplace(tensor.name, tensor.file, tensor.offset);
    }
  }

  /// The step of a group's first weight in the parent, which is a tensor of its own there; 0 where
  /// it is none.
  Result<std::uint64_t> stepInParent(const OptimizerInfo& info) const {
    if (info.states.empty()) return std::uint64_t{0};
    const std::string name = info.states.front() + std::string(kStepKey);
    const auto found = stepsOfParent_.find(name);
    if (found == stepsOfParent_.end()) return std::uint64_t{0};
    const auto [file, offset] = found->second;
    float step = 0;
    STRATA_TRY(parent_.read(file, offset, std::as_writable_bytes(std::span(&step, 1))));
    const bool isNumber = step >= 1 && step < kMostSteps;
    return isNumber ? static_cast<std::uint64_t>(step) : std::uint64_t{0};
  }

  const ModelDescription& model_;
  const VersionReader& parent_;
  std::vector<OptimizerSettings> lists_;
  /// By name: file and offset.
  std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> stepsOfParent_;
  std::map<std::pair<std::uint32_t, double>, std::vector<std::uint64_t>> ratePlaces_;
};

}  // namespace

Result<std::vector<StepGroup>> optimizerSteps(const ModelDescription& model,
                                              const VersionReader& parent) {
  if (!mayHaveMoments(model)) return std::vector<StepGroup>();
  STRATA_TRY(const auto lists, OptimizerLists(model, parent).run());
  return fitSteps(model, parent, lists);
}

}  // namespace strata
