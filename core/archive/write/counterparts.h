#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/archive/manifest.h"
#include "core/match/matcher.h"
#include "core/model/model_source.h"

namespace strata {

/// A stored version's tensors as the matcher sees them.
std::vector<ParentTensor> parentTensors(const Manifest& manifest);

/// Finds the base's tensor of a tensor's name, shape and type.
class Counterparts {
 public:
  /// `tensors` are the base's, and borrowed.
  explicit Counterparts(std::span<const ParentTensor> tensors);

  std::optional<PartView> of(const TensorInfo& tensor) const;

 private:
  std::multimap<std::string_view, const ParentTensor*> byName_;
};

}  // namespace strata
