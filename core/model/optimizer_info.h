#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata {

/// What a model's files say of some weights that an optimizer treats alike, such as of one of its
/// `param_groups`. Nothing where they do not say it.
struct OptimizerInfo {
  std::optional<double> rate = {};
  std::optional<double> beta1 = {};  ///< the momentum of SGD
  std::optional<double> beta2 = {};
  std::optional<double> epsilon = {};
  std::optional<double> weightDecay = {};
  std::uint64_t step = 0;  ///< steps taken; 0: not known
  /// What the optimizer calls these weights, in its order: "17".
  std::vector<std::string> params = {};
  /// What the tensors of their states begin with, in that order: "optimizer.state.17.".
  std::vector<std::string> states = {};
};

}  // namespace strata
