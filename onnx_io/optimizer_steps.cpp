#include "onnx_io/optimizer_steps.h"

#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "onnx_io/optimizer_groups.h"

namespace strata {
namespace {

/// Most steps that a number says.
constexpr double kMostSteps = 1e15;

class SettingsReader {
 public:
  explicit SettingsReader(const ModelDescription& model) : model_(model) {}

  std::vector<OptimizerSettings> run() {
    for (const ModelFile& file : model_.files) {
      if (file.kind == FileKind::PyTorch) readFile(file);
    }
    for (std::uint32_t i = 0; i < model_.tensors.size(); ++i) {
      const auto found = steps_.find(model_.tensors[i].name);
      if (found != steps_.end()) lists_[found->second].stepTensor = i;
    }
    std::vector<OptimizerPair> others;
    for (const OptimizerPair& pair : pairOptimizer(model_, params_)) {
      const auto found = owners_.find(model_.tensors[pair.firstMoment].name);
      (found == owners_.end() ? others : lists_[found->second].pairs).push_back(pair);
    }
    if (!others.empty()) lists_.push_back({.pairs = std::move(others)});
    std::erase_if(lists_, [](const OptimizerSettings& list) { return list.pairs.empty(); });
    return std::move(lists_);
  }

 private:
  void readFile(const ModelFile& file) {
    const auto optimizers = readOptimizerGroups(file.bytes.whole());
    if (!optimizers) return;
    for (const OptimizerGroups& optimizer : *optimizers) {
      for (const OptimizerGroup& group : optimizer.groups) addGroup(optimizer, group);
    }
  }

  void addGroup(const OptimizerGroups& optimizer, const OptimizerGroup& group) {
    const std::size_t number = lists_.size();
    StepSettings& settings = lists_.emplace_back().settings;
    const bool isSgd = group.momentum().has_value() && !group.beta1();
    settings.beta1 = isSgd ? *group.momentum() : group.beta1().value_or(settings.beta1);
    settings.beta2 = group.beta2().value_or(settings.beta2);
    settings.eps = group.eps().value_or(settings.eps);
    settings.weightDecay = group.weightDecay().value_or(0);
    if (const auto rate = group.lr()) settings.rates.push_back(*rate);
    for (const std::string& param : group.params) {
      params_.push_back(param);
      owners_.emplace(optimizer.tensorName(param, isSgd ? "momentum_buffer" : "exp_avg"), number);
      const auto step = optimizer.steps.find(param);
      if (settings.step != 0 || step == optimizer.steps.end()) continue;
      if (!(step->second >= 1 && step->second < kMostSteps)) continue;
      settings.step = static_cast<std::uint64_t>(step->second);
      steps_.emplace(optimizer.tensorName(param, "step"), number);
    }
  }

  const ModelDescription& model_;
  std::vector<OptimizerSettings> lists_;
  std::vector<std::string> params_;
  std::unordered_map<std::string, std::size_t> owners_;  ///< first moments, and their lists
  std::unordered_map<std::string, std::size_t> steps_;   ///< numbers of steps, likewise
};

}  // namespace

std::vector<OptimizerSettings> optimizerSettings(const ModelDescription& model) {
  return SettingsReader(model).run();
}

std::vector<StepGroup> stepsBetween(const ModelDescription& model, const VersionReader& parent) {
  auto groups = fitSteps(model, parent, optimizerSettings(model));
  return groups ? *std::move(groups) : std::vector<StepGroup>{};
}

}  // namespace strata
