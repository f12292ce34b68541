#include "core/ops/care/rebuild_catalog.h"

#include "core/store/catalog/catalog_sync.h"
#include "core/store/store.h"

namespace strata {

Result<RebuildReport> rebuildCatalog(const std::filesystem::path& storeFolder, std::stop_token stop,
                                     const ProgressSink& progress, const LockWait& wait) {
  STRATA_TRY(SyncReport synced, Store::rebuildCatalog(storeFolder, stop, progress, wait));
  RebuildReport report{synced.versionCount,        synced.trashedCount,       synced.tagCount,
                       std::move(synced.problems), std::move(synced.rescued), {},
                       std::move(synced.finished), std::move(synced.setAside)};
  STRATA_TRY(const auto store, Store::open(storeFolder));
  STRATA_TRY(report.unnamed, unnamedModels(*store, stop));
  STRATA_TRY(const auto latest, store->catalog().operations(1));
  if (!latest.empty()) report.lostHistory = latest.front().detail;  // of this rebuild
  return report;
}

}  // namespace strata
