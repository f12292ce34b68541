#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/optimizer_info.h"
#include "core/result.h"

namespace strata {

/// One of the `param_groups` of an optimizer: settings, and the weights that they are for.
struct OptimizerGroup {
  /// What the weights are called in `state`, in the optimizer's order: numbers as texts ("17"), or
  /// the weights' own names where the trainer writes those.
  std::vector<std::string> params;
  /// Every setting that is a number, or a truth as 0 or 1: "lr", "eps", "weight_decay", "amsgrad".
  /// Of several numbers each has its place: "betas.0", "betas.1".
  std::vector<std::pair<std::string, double>> numbers;

  std::optional<double> number(std::string_view key) const noexcept;
  std::optional<double> lr() const noexcept { return number("lr"); }
  std::optional<double> beta1() const noexcept { return number("betas.0"); }
  std::optional<double> beta2() const noexcept { return number("betas.1"); }
  std::optional<double> eps() const noexcept { return number("eps"); }
  std::optional<double> weightDecay() const noexcept { return number("weight_decay"); }
  std::optional<double> momentum() const noexcept { return number("momentum"); }
};

/// What an optimizer's state_dict() says beside its tensors.
struct OptimizerGroups {
  std::string name;  ///< where it lies in the file: "", "optimizer", "optimizer_states.0"
  std::vector<OptimizerGroup> groups;
  /// Steps taken, by the names of `OptimizerGroup::params`; without those that say none.
  std::map<std::string, double, std::less<>> steps;

  /// What the tensor `key` of a weight is called in the model description of the file:
  /// "optimizer.state.17.exp_avg".
  std::string tensorName(std::string_view param, std::string_view key) const;
};

/// The same for a model's description: one for each group.
std::vector<OptimizerInfo> optimizerInfos(const OptimizerGroups& optimizer);

/// Reads the optimizers of a file of torch.save. Nothing of it is run. An empty list where it holds
/// none. Fails as listZip and readPickle for what is no such file, and with Unsupported for more
/// than a million weights, 10,000 groups or 64 MiB of names in all optimizers together.
Result<std::vector<OptimizerGroups>> readOptimizerGroups(std::span<const std::byte> file);

}  // namespace strata
