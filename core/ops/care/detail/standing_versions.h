#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/digest.h"
#include "core/store/version_entry.h"

namespace strata {

/// Removed versions that stand on each other, and what keeps them: they can go together once each
/// of `dependants` is coded against `parent`.
struct StandingGroup {
  std::vector<VersionEntry> removed;     ///< unlisted
  std::vector<VersionEntry> dependants;  ///< of each manifest one, those added first before others
  std::optional<Digest> parent;          ///< what the removed ones stand on themselves, if anything
};

/// The groups among `all`, live versions and those of the trash. Removed versions stay out that one
/// of `wanted` or a lossy version is rebuilt through: a lossy version keeps what it stands on. So
/// do those that a version stands on whose content `isHere` denies.
std::vector<StandingGroup> standingGroups(std::span<const VersionEntry> all,
                                          std::span<const Digest> wanted,
                                          const std::function<bool(const VersionEntry&)>& isHere);

}  // namespace strata
