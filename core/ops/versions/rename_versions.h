#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct RenameOptions {
  std::string name;
  std::string newName;
  bool dryRun = false;
};

struct RenameReport {
  std::vector<VersionEntry> versions;  ///< under the new name; in a dry run as they would be
  std::uint64_t trashedCount = 0;      ///< those in the trash, which move along
  std::vector<std::string> remotes;    ///< that listed the old name when last exchanged with
};

/// Gives all versions of a name another one, with tags, numbers, notes and dates; those in the
/// trash come along. Nothing else changes: differences name their parents by content. Remotes keep
/// the old name, and the numbers that it had are not given again under it. Fails with NotFound (no
/// version has the name); InvalidArgument: the new name is malformed, the same, in use (also by the
/// trash), or had such numbers before, or a push that is not over names the old one; CorruptData (a
/// ref cannot be read), StoreLocked, Io.
Result<RenameReport> renameVersions(Store& store, const RenameOptions& options);

/// What renameVersions fails with before it changes anything.
Result<void> checkRename(const Store& store, const Catalog& catalog, const RenameOptions& options);

}  // namespace strata
