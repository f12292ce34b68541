#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/store/catalog.h"
#include "core/store/object_folder.h"
#include "core/store/ref_folder.h"

namespace strata {

/// What a comparison of catalog and refs came to.
struct SyncReport {
  std::uint64_t versionCount = 0;
  std::uint64_t trashedCount = 0;
  std::uint64_t tagCount = 0;
  std::vector<std::string> problems;  ///< refs and manifests that could not be read
};

/// Whether versions that the catalog has already are read again.
enum class SyncScope { Differences, Everything };

/// Settles what a writer that died left half-done among the refs, then makes the catalog say what
/// they say, in one transaction. Only under the write lock.
/// Fails with Cancelled, NoSpace, Io, CorruptData (the catalog).
Result<SyncReport> syncCatalog(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects,
                               SyncScope scope, std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
