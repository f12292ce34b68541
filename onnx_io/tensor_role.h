#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/model/element_type.h"
#include "core/model/model_source.h"

namespace strata {

/// One use of a weight by a node of the graph.
struct TensorUse {
  std::string_view opType;
  std::string_view nodeName;
  std::size_t slot = 0;  ///< index of the input
};

/// The part a weight plays for the node that uses it. `name` is the weight's own: both names are
/// asked, since exporters keep the module path in one or the other. Unknown where neither tells.
TensorKind kindFromUse(const TensorUse& use, std::string_view name, std::size_t rank) noexcept;

/// The part a weight plays going by its name and rank alone. Unknown where they do not tell.
TensorKind kindFromName(std::string_view name, std::size_t rank) noexcept;

/// The part that a tensor of an optimizer's state plays, going by what the optimizer calls it,
/// which stands at the end of the name or in front of its weight's: `exp_avg`, `momentum_buffer`
/// and JAX's `mu` are first moments, `exp_avg_sq`, `square_avg`, `nu` and, at the end, Adagrad's
/// `sum` second ones; all else is OptimizerState.
TensorKind kindOfOptimizerState(std::string_view name) noexcept;

/// The part of a tensor in a file without a graph. A moment is known by a name that only optimizers
/// give, at the end or in front of its weight's (`optimizer.exp_avg.head.weight`), or by one that
/// leads through the state of an optimizer (`optim.state.0.step`); other tensors are weights if
/// they are floats (kindFromName).
TensorKind kindOfStored(std::string_view name, ElementType type, std::size_t rank) noexcept;

/// Whether an operator hands its first input on as the same weight: its consumers are what counts.
bool isPassThrough(std::string_view opType) noexcept;

/// Whether an operator can stand between the last linear layer and the model's output.
bool isOutputTail(std::string_view opType) noexcept;

}  // namespace strata
