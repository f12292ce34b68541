#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// Whether an operator hands its first input on as the same weight: its consumers are what counts.
bool isPassThrough(std::string_view opType) noexcept;

/// Whether an operator can stand between the last linear layer and the model's output.
bool isOutputTail(std::string_view opType) noexcept;

}  // namespace strata
