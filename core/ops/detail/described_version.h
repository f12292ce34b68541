#pragma once

#include "core/store/store.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// What the remote will list of a version. One that was removed here goes along for the differences
/// to it alone, without its name there. Fails with NotFound, CorruptData, Io.
Result<RemoteVersion> describeVersion(const Store& store, const VersionEntry& entry);

/// Whether a version here and the one that it is on a remote may differ in the permission bits of
/// their files: they have two manifests over the same packs. Where both manifests are here, these
/// tell; manifests also differ in how a version was coded. Of versions with other packs nobody
/// knows, and no is the answer. Fails with what the catalog fails with.
Result<bool> mayHaveOtherModes(const Store& store, const VersionEntry& here,
                               const RemoteVersion& there);

}  // namespace strata
