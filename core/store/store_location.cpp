#include "core/store/store_location.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/store/store.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path(value);
}

/// What every store has beside its settings; some of it may be lost.
constexpr std::array kKeptThings{"objects", "refs", "catalog.sqlite"};

/// The store of the folder that it lies in, and of those below.
constexpr const char* kStoreOfProject = ".strata";

/// Other programs may have a store.toml, too.
bool holdsStore(const fs::path& folder) {
  std::error_code status;
  return Store::isStore(folder) &&
         std::any_of(kKeptThings.begin(), kKeptThings.end(),
                     [&](const char* name) { return fs::exists(folder / name, status); });
}

/// Without "." and "..", and without a slash at its end, which would make it another path.
fs::path tidied(const fs::path& path) {
  std::error_code status;
  const fs::path whole = fs::absolute(path, status).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// Where the links of a path lead, as far as it exists.
fs::path real(const fs::path& path) {
  std::error_code status;
  const fs::path found = fs::weakly_canonical(path, status);
  return tidied(status ? path : found);
}

std::optional<fs::path> storeAbove(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (holdsStore(folder)) return folder;
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

}  // namespace

fs::path defaultStoreFolder() {
  const fs::path data = fromEnvironment("XDG_DATA_HOME");
  if (data.is_absolute()) return data / "strata" / "default";
  const fs::path home = fromEnvironment("HOME");
  return home.empty() ? fs::path{} : home / ".local" / "share" / "strata" / "default";
}

Result<StoreLocation> findStore(const std::optional<fs::path>& option,
                                const fs::path& workingFolder) {
  using Origin = StoreLocation::Origin;
  std::error_code status;
  if (option) {
    const fs::path inner = *option / kStoreOfProject;
    const bool isProject = !Store::isStore(*option) && fs::is_directory(inner, status);
    return StoreLocation{isProject ? inner : *option, Origin::Option};
  }
  if (const fs::path named = fromEnvironment("STRATA_STORE"); !named.empty()) {
    return StoreLocation{named, Origin::Environment};
  }
  for (fs::path folder = fs::absolute(workingFolder, status); !folder.empty();
       folder = folder.parent_path()) {
    if (holdsStore(folder)) return StoreLocation{folder, Origin::WorkingFolder};
    if (fs::is_directory(folder / kStoreOfProject, status)) {
      return StoreLocation{folder / kStoreOfProject, Origin::WorkingFolder};
    }
    if (folder == folder.root_path()) break;
  }
  const fs::path fallback = defaultStoreFolder();
  if (fallback.empty()) {
    return fail(ErrorCode::NoStore,
                "no store: neither -C nor STRATA_STORE is given, and HOME is not set");
  }
  return StoreLocation{fallback, Origin::Default};
}

bool hasRoomForStore(const fs::path& folder) {
  std::error_code status;
  if (!fs::exists(fs::symlink_status(folder, status))) {
    // What is above it may be a file, and nothing can be made below one.
    fs::path above = fs::absolute(folder, status).parent_path();
    while (!fs::exists(above, status) && above.has_relative_path()) above = above.parent_path();
    return fs::is_directory(above, status);
  }
  return fs::is_directory(folder, status) && fs::is_empty(folder, status);
}

std::optional<fs::path> storeAround(const fs::path& path) {
  if (auto store = storeAbove(real(path))) return store;
  const fs::path place = tidied(path);
  return storeAbove(real(place.parent_path()) / place.filename());
}

Result<void> refuseInsideStore(const fs::path& path) {
  const std::optional<fs::path> store = storeAround(path);
  if (!store) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: lies inside the store {}, whose files are its own", path.string(),
                          store->string()));
}

}  // namespace strata
