#include "core/config/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path{value};
}

/// Never the current folder: what lies there may be anybody's.
fs::path homeFolder() {
  fs::path home = fromEnvironment("HOME");
  if (home.is_absolute()) return home;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> room{};
  ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
  home = found == nullptr ? "" : entry.pw_dir;
  return home.is_absolute() ? home : "/";
}

fs::path folder(const char* variable, const char* belowHome) {
  fs::path base = fromEnvironment(variable);
  if (!base.is_absolute()) base = homeFolder() / belowHome;
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
