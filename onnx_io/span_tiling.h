#pragma once

#include <cstdint>
#include <vector>

#include "core/model/model_source.h"

namespace strata {

/// Brings the spans that readers found into the form that ModelDescription promises: sorted by file
/// and offset, disjoint, none empty.
///
/// Of spans that overlap the first in the file wins, the first found where they begin together;
/// what another has beyond it becomes opaque bytes. Stretches of a file that belong to no weight
/// but are too large for a skeleton become opaque spans `path@offset`. No opaque span is over
/// kMaxOpaqueBytes. `found` must lie inside `files`.
std::vector<TensorInfo> tileSpans(std::vector<TensorInfo> found,
                                  const std::vector<ModelFile>& files);

inline constexpr std::uint64_t kMaxOpaqueBytes = 16 * 1024 * 1024;
/// Stretches between weights over this size never stay in the skeleton.
inline constexpr std::uint64_t kMaxSkeletonGap = 1024 * 1024;
/// A file whose skeleton would pass this gives up smaller stretches, too.
inline constexpr std::uint64_t kWantedSkeletonBytes = 16 * 1024 * 1024;

}  // namespace strata
