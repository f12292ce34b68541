#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/match/master_copies.h"
#include "core/model/model_source.h"

namespace strata {

/// A weight and what an optimizer keeps of it: indices of ModelDescription::tensors. All have one
/// shape.
struct OptimizerPair {
  std::uint32_t weights = 0;
  std::uint32_t firstMoment = 0;
  std::optional<std::uint32_t> secondMoment = {};  ///< there is none with momentum alone
  std::optional<std::uint32_t> master = {};  ///< the optimizer's own, finer copy of the weights

  friend bool operator==(const OptimizerPair&, const OptimizerPair&) = default;
};

/// Finds which tensors of a checkpoint belong together, by names and shapes alone; in the order of
/// the weights. A moment is known by what its name holds: `exp_avg`, `momentum_buffer`, or, behind
/// a part such as `optimizer` or `opt_state`, `m`, `mu`, `v`, `nu` and the like. The rest of its
/// name is
/// - the name of its weight, where parts in front may differ: `optimizer.exp_avg.head.weight`,
///   `optim.state.head.weight.exp_avg`, `opt_state.0.mu.params.head.kernel`;
/// - or its weight's number: `optimizer.state.17.exp_avg`. Of the weights of one shape the first
///   in the order of the model is the first in that of the optimizer. That is sure only where a
///   shape has one weight: a pair is for trying, since what follows from a wrong one is coded
///   worse, not wrong.
///
/// `params` is what the optimizer calls its weights, in its own order, such as the `params` of all
/// groups of an optimizer.pt; empty: numbers ascend. `masters` are copies of weights
/// (findMasters()) that are no weights themselves, in the order of the weights; a pair whose names
/// tell of no master gets its weights' one. Takes time linear in the number of tensors but for
/// sorting.
std::vector<OptimizerPair> pairOptimizer(const ModelDescription& model,
                                         std::span<const std::string> params = {},
                                         std::span<const MasterCopy> masters = {});

}  // namespace strata
