#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// What one version takes on the disk, without its parents.
struct VersionUsage {
  VersionEntry version;
  std::uint64_t ownBytes = 0;     ///< of objects that no other version needs, live or in the trash
  std::uint64_t sharedBytes = 0;  ///< of objects that others need, too
};

struct DiskUsage {
  std::vector<VersionUsage> versions;  ///< live ones, those that take most first
  std::uint64_t ownBytes = 0;          ///< sum over `versions`
  std::uint64_t sharedBytes = 0;       ///< of all that `versions` share: each object counts once
  std::uint64_t trashBytes = 0;        ///< of what only versions in the trash need
  std::uint64_t storeBytes = 0;        ///< of all objects that versions need
};

/// Counts objects that are here; each object is a whole file. With `glob`, only versions whose name
/// or label matches are listed and summed. Fails with CorruptData or Io.
Result<DiskUsage> diskUsage(const Store& store, const std::string& glob = {});

}  // namespace strata
