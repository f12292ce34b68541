#include "core/store/store_location.h"

#include <cstdlib>
#include <string>

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path(value);
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
  if (option) return StoreLocation{*option, Origin::Option};
  if (const fs::path named = fromEnvironment("STRATA_STORE"); !named.empty()) {
    return StoreLocation{named, Origin::Environment};
  }
  std::error_code status;
  for (fs::path folder = fs::absolute(workingFolder, status); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::is_directory(folder / ".strata", status)) {
      return StoreLocation{folder / ".strata", Origin::WorkingFolder};
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

}  // namespace strata
