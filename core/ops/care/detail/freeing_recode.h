#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <vector>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/detail/standing_versions.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/store/catalog/true_catalog.h"
#include "core/store/objects/needed_objects.h"
#include "core/store/store.h"

namespace strata {

/// What recodeToFree tries. Fails with what the catalog fails with.
Result<std::vector<StandingGroup>> groupsToFree(const TrueCatalog& truth,
                                                const NeededObjects& needed);

/// What recoding did so that removed versions can go, or in a dry run would do.
struct FreeingRecode {
  std::vector<RecodedVersion> recoded;
  std::vector<CatalogObject> freed;  ///< objects that nothing needs then; some may be gone already
  std::uint64_t writtenBytes = 0;    ///< of new objects
  std::uint64_t writtenObjects = 0;
  /// Objects that the recoded versions rest on, new ones or such as were in the store already.
  std::set<Digest> needed;
};

/// Codes exact versions that stand on removed ones anew: against what the removed ones stand on, or
/// the first of them that is coded so. Versions that keep the same removed ones are one change, all
/// or none; they are left alone where it would free no bytes. Takes the write lock for moments. The
/// removed ones stay: nothing stands on them any more.
///
/// Fails with CorruptData, before anything is changed, where collectGarbage() would; else as
/// recodeVersion(): then earlier groups are recoded, which a later call goes on from.
Result<FreeingRecode> recodeToFree(Store& store, const GarbageOptions& options,
                                   const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
