#include "core/ops/versions/init_store.h"

#include "core/config/config.h"
#include "core/io/temp_file.h"
#include "core/store/store.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

/// The work folder of git that holds `folder`; empty if none does.
fs::path repositoryAround(const fs::path& folder) {
  std::error_code status;
  for (fs::path at = folder.parent_path(); !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", status)) return at;
    if (at == at.root_path()) break;
  }
  return {};
}

}  // namespace

Result<InitReport> initStore(const InitOptions& options) {
  if (Store::isStore(options.folder)) {
    STRATA_TRY(const auto store, Store::open(options.folder));
    return InitReport{store->folder(), false, {}};
  }
  STRATA_TRY(const auto store, Store::create(options.folder, options.sharing));
  if (options.sharing != Sharing::None) STRATA_TRY(shareStore(store->folder(), options.sharing));
  InitReport report{store->folder(), true, {}};
  report.repository = repositoryAround(store->folder());
  if (!report.repository.empty()) {
    STRATA_TRY(writeFileWhole(store->folder() / "tmp", store->folder() / ".gitignore",
                              "# A store is no source. Written by strata init.\n*\n"));
  }
  return report;
}

Result<void> shareStore(const std::filesystem::path& storeFolder, Sharing sharing) {
  STRATA_TRY(const Setting* const setting, findSetting("shared"));
  STRATA_TRY(
      setInFile(storeFolder / "config.toml", *setting, sharing == Sharing::Group ? "group" : "no"));
  return shareFolder(storeFolder, sharing);
}

}  // namespace strata
