#pragma once

#include <optional>

#include "core/archive/manifest.h"
#include "core/ops/versions/add_version.h"
#include "core/store/store.h"

namespace strata {

/// Below this share of a model's weights a base is of no use.
inline constexpr double kLeastUsefulShare = 0.05;

/// Whether a version has more than next to nothing in common with its parent.
bool sharesWeights(const Manifest& manifest);

/// Whether `model`, which was coded against `base` as its user asked and became `manifest`, has
/// next to nothing in common with it, and which base of the store is more like it. Fails as
/// rankStoredBases().
Result<std::optional<BaseMisfit>> misfitOf(const Store& store, const ModelSource& model,
                                           const Manifest& manifest, const VersionEntry& base);

}  // namespace strata
