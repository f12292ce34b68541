#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/push/push_plan.h"

namespace strata {

/// A version that is or will be on the remote.
struct PlacedVersion {
  const VersionEntry& entry;
  std::uint32_t number;  ///< there
  bool isThere;          ///< without this push
};

/// The plan gets the tags of a version that go with it or move to it, and says what becomes of the
/// others. Fails with what reading a ref fails with.
Result<void> placeTags(const Store& store, const PlacedVersion& version, const TagMatching& tags,
                       const PushOptions& options, PushPlan& plan);

/// Tags of versions that are on both sides, `met`, which were removed here since.
void noteRemovedTags(const RemoteLibrary& library, const std::vector<const RemoteVersion*>& met,
                     const TagMatching& tags, PushPlan& plan);

}  // namespace strata
