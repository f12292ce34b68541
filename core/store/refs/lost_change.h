#pragma once

#include "core/result.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/objects/object_folder.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// What a `change.json` said that cannot be read any more, as far as `remembered` tells. A command
/// that ended well had changed the catalog first, so that what differs between catalog and refs is
/// the change: versions at another place or with another manifest, and tags. A version without any
/// ref, or whose manifest is not here, is none of it. Empty if nothing differs: nothing was done.
/// Fails with Io.
Result<RefChange> rebuildChange(const RefFolder& refs, const ObjectFolder& objects,
                                const RememberedRefs& remembered);

}  // namespace strata
