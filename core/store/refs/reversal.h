#pragma once

#include "core/result.h"
#include "core/store/refs/operation.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/store.h"

namespace strata {

/// What versions and tags have to become so that an operation is taken back, or with `again` done
/// again. A version that the operation made goes to the trash. Changes nothing. Not for renames.
/// Fails with NotFound if what that needs is gone, InvalidArgument if something of it was changed
/// since, CorruptData or Io (a ref that cannot be read).
Result<RefChange> planReversal(const Store& store, const Operation& done, bool again);

}  // namespace strata
