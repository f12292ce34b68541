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

/// The store that commands without a place of their own use, in this order: `option` (-C), the
/// variable STRATA_STORE, a folder `.strata` here or further up, defaultStoreFolder(). The first
/// rule that applies decides; the folder itself is looked at by Store::open only.
/// Fails with NoStore if no rule applies because neither XDG_DATA_HOME nor HOME is set.
Result<StoreLocation> findStore(const std::optional<std::filesystem::path>& option,
                                const std::filesystem::path& workingFolder);

/// `$XDG_DATA_HOME/strata/default`, or `~/.local/share/strata/default`; empty without HOME.
std::filesystem::path defaultStoreFolder();

}  // namespace strata
