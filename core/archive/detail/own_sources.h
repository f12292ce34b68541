#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// Most own sources that lie one behind the other (docs/FORMAT.md, "Own views").
inline constexpr unsigned kMostOwnSteps = 4;
/// Most blocks that reading one of them may decode.
inline constexpr std::uint32_t kMostSteps = 4096;

/// The tensor that all bytes of a range of a version's file belong to; nothing where there is none.
std::optional<std::uint32_t> tensorAround(const Manifest& manifest, std::uint32_t file,
                                          std::uint64_t offset, std::uint64_t byteCount);

/// How many blocks are decoded for one that a view of the parent shows.
using ParentSteps = std::function<std::uint32_t(const PartView& view, std::uint64_t byteCount)>;

/// How many blocks are decoded for one of each tensor, its own counted: 1 and those of all its
/// sources. `ofParent` null: those of this version alone. Goes over each part once.
///
/// For manifests with parts that have several sources, whose own sources may lie anywhere in the
/// version's tensors. Fails with CorruptData where one does not lie in one tensor, where tensors
/// stand on each other in a circle or over more than kMostOwnSteps, and above kMostSteps.
Result<std::vector<std::uint32_t>> countSteps(const Manifest& manifest,
                                              const ParentSteps& ofParent);

}  // namespace strata
