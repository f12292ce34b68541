#pragma once

#include <filesystem>

namespace strata {

/// Where this user's files lie, after the XDG base directory rules. Nothing is created here.
struct UserFolders {
  std::filesystem::path config;  ///< $XDG_CONFIG_HOME/strata
  std::filesystem::path data;    ///< $XDG_DATA_HOME/strata; the default store is `default` in it
  std::filesystem::path cache;   ///< $XDG_CACHE_HOME/strata
  std::filesystem::path state;   ///< $XDG_STATE_HOME/strata
};

/// Reads the environment. Relative XDG variables are ignored, as the rules say; without HOME it is
/// the user's home by the list of users.
UserFolders userFolders();

/// The user's settings file: $STRATA_CONFIG if set, else `config.toml` in the config folder.
std::filesystem::path userConfigFile();

}  // namespace strata
