#pragma once

#include <filesystem>
#include <optional>

#include "core/result.h"

namespace strata {

/// Where a store lies and which rule found it.
struct StoreLocation {
  enum class Origin { Option, Environment, WorkingFolder, Default };
  std::filesystem::path folder;
  Origin origin = Origin::Default;
};

/// The store that commands without a place of their own use, in this order: `option` (-C), itself
/// or the `.strata` in it, the variable STRATA_STORE, a store or a folder `.strata` here or further
/// up, defaultStoreFolder(). The first rule that applies decides; the folder itself is looked at by
/// Store::open only. Fails with NoStore if no rule applies because neither XDG_DATA_HOME nor HOME
/// is set.
Result<StoreLocation> findStore(const std::optional<std::filesystem::path>& option,
                                const std::filesystem::path& workingFolder);

/// `$XDG_DATA_HOME/strata/default`, or `~/.local/share/strata/default`; empty without HOME.
std::filesystem::path defaultStoreFolder();

/// Whether a store can be made in a folder: it is not there, or empty.
bool hasRoomForStore(const std::filesystem::path& folder);

/// The store whose own folder is `path` or holds it: any store, open or not. Links are followed,
/// and where a link itself stands counts, too. Nothing for a path beside a store, such as one in a
/// work folder with a `.strata` in it. The path need not exist.
std::optional<std::filesystem::path> storeAround(const std::filesystem::path& path);

/// Asked before anything is written to a path that the user named. So no file of a store is
/// replaced, and none comes to lie among them. Fails with InvalidArgument, naming path and store.
Result<void> refuseInsideStore(const std::filesystem::path& path);

}  // namespace strata
