#pragma once

#include "core/store/store.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// What the remote will list of a version. One that was removed here goes along for the differences
/// to it alone, without its name there. Fails with NotFound, CorruptData, Io.
Result<RemoteVersion> describeVersion(const Store& store, const VersionEntry& entry);

}  // namespace strata
