#pragma once

#include <filesystem>

#include "core/io/store_modes.h"
#include "core/result.h"

namespace strata {

struct InitOptions {
  std::filesystem::path folder = {};
  Sharing sharing = Sharing::None;  ///< of a new store
};

struct InitReport {
  std::filesystem::path folder;           ///< absolute
  bool created = false;                   ///< false: it was a store already, and is unchanged
  std::filesystem::path repository = {};  ///< of git, that it lies in and is ignored by; or empty
};

/// Whose a store is, as its setting `shared` says: "no" or "group".
/// Writes the setting and gives all its files and folders their modes; those of other users keep
/// theirs. Fails with Io, NoSpace.
Result<void> shareStore(const std::filesystem::path& storeFolder, Sharing sharing);

/// Makes an empty store. In a git repository it gets a `.gitignore` that keeps all of it out. Fails
/// with InvalidArgument if the folder holds other things, FormatTooNew, NoSpace, Io.
Result<InitReport> initStore(const InitOptions& options);

}  // namespace strata
