#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "core/result.h"

namespace strata {

/// What stays of a folder that a new one replaces. Paths are relative to both, with '/'.
struct KeptFiles {
  std::set<std::string> replaced;              ///< files that the new folder has instead
  std::map<std::string, std::string> backups;  ///< the new names of replaced ones that are kept
};

/// Gives `fresh` the name of the folder `folder` in one step, so that whoever looks, also after a
/// kill, finds all new files or all old ones. Files of `folder` that are not replaced are linked
/// into `fresh` before. `fresh` then names the old folder, which the caller deletes.
///
/// False, with `folder` as it was, where that cannot be: the file system cannot exchange names or
/// link files, `folder` holds folders that `fresh` does not, is a mount point or holds the working
/// folder of this process. Both lie in one folder. Fails with Io if the outcome is not on the disk.
Result<bool> exchangeFolders(const std::filesystem::path& fresh,
                             const std::filesystem::path& folder, const KeptFiles& kept);

}  // namespace strata
