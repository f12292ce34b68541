#pragma once

#include <cstdint>
#include <vector>

#include "core/archive/manifest.h"

namespace strata {

/// What quantizing did to an optimizer's moments of one kind.
struct RoleError {
  TensorKind kind = TensorKind::FirstMoment;
  /// L2 norm of (restored - original) / of the original, of all its tensors: the mean square of
  /// theirs, each with the weight of its words. 1: dropped.
  double relativeError = 0;
  std::uint64_t quantized = 0;  ///< tensors
  std::uint64_t exact = 0;
};

/// The first, then the second moments of a lossy version, where codec `moments` has coded any.
/// Empty for versions that keep them exactly. Errors of weights are Manifest::relativeError.
std::vector<RoleError> roleErrors(const Manifest& manifest);

}  // namespace strata
