#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// What one version takes on the disk, without its parents.
struct VersionUsage {
  VersionEntry version;
  /// What deleting it alone for good frees: nothing of one that others are differences to.
  std::uint64_t ownBytes = 0;
  std::uint64_t sharedBytes = 0;  ///< of its other objects
};

struct DiskUsage {
  std::vector<VersionUsage> versions;  ///< live ones, those that take most first
  std::uint64_t ownBytes = 0;          ///< sum over `versions`
  std::uint64_t sharedBytes = 0;       ///< of all that `versions` share: each object counts once
  std::uint64_t trashBytes = 0;        ///< what emptying the trash frees
  std::uint64_t keptBytes = 0;         ///< of removed versions that others are differences to
  std::uint64_t storeBytes = 0;        ///< of all objects that versions need
};

/// Counts objects that are here; each object is a whole file. With `glob`, only versions whose name
/// or label matches are listed and summed. Fails with CorruptData or Io.
Result<DiskUsage> diskUsage(const Store& store, const std::string& glob = {});

/// The same of the live versions that `isAsked` takes.
Result<DiskUsage> diskUsage(const Store& store,
                            const std::function<bool(const VersionEntry&)>& isAsked);

}  // namespace strata
