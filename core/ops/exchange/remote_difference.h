#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// How a store and a remote differ, by what the remote listed when it was last exchanged with.
struct RemoteDifference {
  std::uint64_t toPush = 0;      ///< versions and bases here that the remote does not list
  std::uint64_t toPull = 0;      ///< those that it lists and that are not here
  std::uint64_t tagsToPush = 0;  ///< that a push sends: made or moved here alone since both agreed
  std::uint64_t tagsToPull = 0;  ///< that a pull brings, or moves because they moved there
  std::uint64_t versionCount = 0;  ///< that it lists
  std::int64_t fetchedAt = 0;      ///< seconds since 1970, UTC

  bool operator==(const RemoteDifference&) const = default;
};

/// Tags that only --force-tag moves or puts back count as none. Versions are matched
/// as push and pull do it. No network. Nothing for a remote that was never asked. Fails with
/// CorruptData (what was kept of it), Io.
Result<std::optional<RemoteDifference>> remoteDifference(const Store& store,
                                                         const std::string& name);

}  // namespace strata
