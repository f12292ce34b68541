#include "core/config/user_folders.h"

#include <cstdlib>

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path{value};
}

fs::path folder(const char* variable, const char* belowHome) {
  fs::path base = fromEnvironment(variable);
  if (!base.is_absolute()) base = fromEnvironment("HOME") / belowHome;
  return base / "strata";
}

}  // namespace

UserFolders userFolders() {
  return {.config = folder("XDG_CONFIG_HOME", ".config"),
          .data = folder("XDG_DATA_HOME", ".local/share"),
          .cache = folder("XDG_CACHE_HOME", ".cache"),
          .state = folder("XDG_STATE_HOME", ".local/state")};
}

fs::path userConfigFile() {
  const fs::path named = fromEnvironment("STRATA_CONFIG");
  return named.empty() ? userFolders().config / "config.toml" : named;
}

}  // namespace strata
