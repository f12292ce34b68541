#pragma once

#include <string>

#include "core/store/store.h"
#include "core/transfer/remote_library.h"

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

/// The version of this content that a remote has under this name of a ref, but lists without a
/// name; nullptr if there is none.
const RemoteVersion* namelessThere(const RemoteLibrary& there, const std::string& refName,
                                   const Digest& content);

/// For a version that gets the name back that it lost on a remote. Others there are differences to
/// it, and as it is coded here it may stand on one of these: it is listed as it is coded there.
void keepCoding(RemoteVersion& version, const RemoteVersion& there);

}  // namespace strata
