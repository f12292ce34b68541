#pragma once

#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// Most own sources that lie one behind the other (docs/FORMAT.md, "Own views").
inline constexpr unsigned kMostOwnLinks = 4;

/// Whether the own views of a manifest of version 3 or 4 end somewhere. They may lie anywhere in
/// the version's tensors. Goes over each part once.
///
/// Fails with CorruptData where one does not lie in one tensor, and where tensors stand on each
/// other in a circle or over more than kMostOwnLinks others.
Result<void> checkOwnSources(const Manifest& manifest);

}  // namespace strata
