#include "core/ops/init_store.h"

#include "core/config/config.h"
#include "core/store/store.h"

namespace strata {

Result<InitReport> initStore(const InitOptions& options) {
  if (Store::isStore(options.folder)) {
    STRATA_TRY(const auto store, Store::open(options.folder));
    return InitReport{store->folder(), false};
  }
  STRATA_TRY(const auto store, Store::create(options.folder, options.sharing));
  if (options.sharing != Sharing::None) STRATA_TRY(shareStore(store->folder(), options.sharing));
  return InitReport{store->folder(), true};
}

Result<void> shareStore(const std::filesystem::path& storeFolder, Sharing sharing) {
  STRATA_TRY(const Setting* const setting, findSetting("shared"));
  STRATA_TRY(
      setInFile(storeFolder / "config.toml", *setting, sharing == Sharing::Group ? "group" : "no"));
  return shareFolder(storeFolder, sharing);
}

}  // namespace strata
