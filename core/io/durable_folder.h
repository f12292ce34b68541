#pragma once

#include <filesystem>

#include "core/result.h"

namespace strata {

/// Makes `folder` and those above it that are missing, and syncs all above it up to the root of
/// their file system, so that a power cut keeps their names. Those above are synced although they
/// exist: a program that was killed may have made them and not come to it. Folders above that may
/// not be opened are left out, as nobody without that right makes a folder there. Fails with
/// NoSpace or Io.
Result<void> makeDurableFolder(const std::filesystem::path& folder);

/// Makes `folder` and syncs the one above it, also where it is there already: a writer may have
/// died before it came to that. For folders in a store, whose own name is durable. Fails with
/// NoSpace or Io.
Result<void> makeSyncedFolder(const std::filesystem::path& folder);

}  // namespace strata
