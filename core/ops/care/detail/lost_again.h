#pragma once

#include <vector>

#include "core/store/store_writer.h"

namespace strata {

/// Versions whose refs were lost and whose contents other versions have, too: a model that was gone
/// back to. Their contents need no name, but the numbers and the tags on them do. What the kept
/// lists of remotes tell of them, each without a manifest: only where a file that was set aside,
/// a ref that cannot be read or a tag says that the number was in use here, every list gives it to
/// one content, and no version that was deleted for good had another one under it.
/// Fails with what reading refs fails with.
Result<std::vector<VersionRef>> lostAgain(const StoreWriter& writer);

}  // namespace strata
