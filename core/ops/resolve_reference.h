#pragma once

#include <string_view>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// The version that `NAME` (newest), `NAME:TAG`, `NAME:vN`, `NAME~N` or `@HASH` (4 or more digits)
/// names. Fails with InvalidArgument (malformed; a hash that several contents begin with) or
/// NotFound, naming what there is.
Result<VersionEntry> resolveReference(const Store& store, std::string_view reference);

}  // namespace strata
