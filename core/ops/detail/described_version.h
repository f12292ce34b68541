#pragma once

#include "core/store/store.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// What the remote will list of a version. One that was removed here goes along for the differences
/// to it alone, without its name there. Fails with NotFound, CorruptData, Io.
Result<RemoteVersion> describeVersion(const Store& store, const VersionEntry& entry);

/// Whether a version here and the one that it is on a remote differ in the permission bits of their
/// files: they have two manifests over the same packs. Of versions that were coded otherwise nobody
/// knows before both manifests are here. Fails with what the catalog fails with.
Result<bool> hasOtherModes(const Catalog& catalog, const VersionEntry& here,
                           const RemoteVersion& there);

}  // namespace strata
