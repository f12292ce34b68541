#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/store_trust.h"
#include "core/result.h"

namespace strata {

/// Whether files of `owner` are this user's own. Root, called by sudo, takes those of the user who
/// called it, too.
bool isOwnFile(uid_t owner);

/// "owner 1001": who else owns the folder of a store, or one of its settings files.
StoreStatement ownerStatement(uid_t owner);

/// Who owns a store's folder and settings files, but for this user.
std::vector<StoreStatement> foreignOwners(const std::filesystem::path& storeFolder);

/// Fails with InvalidArgument, saying what accepts it, if somebody else owns the store's folder or
/// one of its settings files and the user did not confirm that. Fails as trustOf, too.
Result<void> checkStoreOwner(const std::filesystem::path& storeFolder);

/// The text of one of a store's settings files ("store.toml"), at most 1 MB; empty where there is
/// none. The owner is that of the file that is read. Fails as checkStoreOwner, and with
/// InvalidArgument (too large, no regular file) and Io.
Result<std::string> readStoreText(const std::filesystem::path& storeFolder, std::string_view name);

}  // namespace strata
