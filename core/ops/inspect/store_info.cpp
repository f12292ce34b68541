#include "core/ops/inspect/store_info.h"

#include <openssl/crypto.h>
#include <zstd.h>

#include "core/archive/manifest.h"
#include "core/io/free_space.h"
#include "core/ops/detail/leaving_versions.h"
#include "core/store/store_lock.h"

namespace strata {
Result<InfoReport> storeInfo(const Store& store) {
  InfoReport report;
  report.folder = store.folder();
  report.id = store.id();
  report.storeFormat = kStoreFormat;
  report.catalogSchema = kCatalogSchema;
  report.archiveFormat = kManifestVersion;
  STRATA_TRY(report.totals, storeTotals(store));
  STRATA_TRY(const CatalogTotals totals, store.catalog().totals());
  report.nameCount = totals.nameCount;
  report.tagCount = totals.tagCount;
  report.objectCount = totals.objectCount;
  report.trashedVersions = totals.trashedCount;
  STRATA_TRY(const auto trashed, store.catalog().versions(Place::Trash));
  STRATA_TRY(const Freeable freeable, Freeable::load(store, store.catalog()));
  STRATA_TRY(report.trashBytes, freeable.bytesWith(trashed));
  STRATA_TRY(report.parity, checkParity(store.folder(), store.objects(), ParityLook::Names, {}));
  report.temporaryBytes = bytesUnder(store.folder() / "tmp");
  STRATA_TRY(report.freeBytes, freeBytes(store.folder()));
  const LockState lock = readLock(store.folder() / "lock");
  if (lock.held && !lock.owner) report.lockedBy = "another process, whose lock file was removed";
  if (lock.owner) (lock.held ? report.lockedBy : report.lockLeftBy) = lock.owner->describe();
  report.libraries = {
      {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"protobuf", protobufVersion()},
      {"sqlite", Catalog::libraryVersion()},
      {"zstd", ZSTD_versionString()},
  };
  return report;
}

}  // namespace strata
