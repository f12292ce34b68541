#pragma once

#include <vector>

#include "core/ops/care/damage.h"
#include "core/store/catalog/catalog.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store.h"

namespace strata {

/// A version as it can come back.
struct LostAgain {
  VersionRef ref;
  ManifestSummary manifest;  ///< another version's, with all its packs
};

/// Versions whose refs were lost and whose contents other versions have, too: a model that was gone
/// back to. Their contents need no name, but the numbers and the tags on them do. What the kept
/// lists of remotes tell of them: only where a file that was set aside, a ref that cannot be read
/// or a tag says that the number was in use here, every list gives it to one content, and no
/// version that was deleted for good had another one under it. Fails with what reading refs fails
/// with, or the catalog.
Result<std::vector<LostAgain>> lostAgain(const Store& store, const Catalog& catalog);

/// What verify says of them, for the store's own catalog. Fails as lostAgain.
Result<std::vector<Damage>> damagesOfLost(const Store& store);

}  // namespace strata
