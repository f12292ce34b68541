#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/store/store_lock.h"

namespace strata {

/// `STORE/store.toml`, which says a store's format and its random id.

/// Whether `folder` has all of a store but this file: catalog or trash, and something in them or in
/// refs or objects. What an interrupted creation leaves is empty; a remote has its own settings.
bool hasLostSettings(const std::filesystem::path& folder);

/// The store's id. Other keys are settings and not looked at here. Fails with InvalidArgument
/// (another user's, or a link), CorruptData (missing, damaged or no file), FormatTooNew, Io.
Result<std::string> readSettings(const std::filesystem::path& folder);

/// For a new store. Fails with NoSpace or Io.
Result<void> writeSettings(const std::filesystem::path& folder, const std::string& id);
std::string newStoreId();

/// Writes the file anew where it is missing or readSettings() calls it damaged, with the id that it
/// still says or a new one, and keeps what was there as `store.toml.damaged`. Whether it did.
/// Fails with StoreLocked, and as readSettings() but for CorruptData; NoStore.
Result<bool> mendSettings(const std::filesystem::path& folder, const LockWait& wait);

}  // namespace strata
