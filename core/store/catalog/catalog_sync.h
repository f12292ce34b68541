#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/store/catalog/catalog.h"
#include "core/store/objects/object_folder.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// What a comparison of catalog and refs came to.
struct SyncReport {
  std::uint64_t versionCount = 0;
  std::uint64_t trashedCount = 0;
  std::uint64_t tagCount = 0;
  std::vector<std::string> problems;  ///< refs and manifests that could not be read
  std::vector<std::string> rescued;   ///< labels of versions whose ref was written anew
  /// Of a change whose file could not be read: what was done of it by what the catalog knows.
  std::vector<std::string> finished;
  std::vector<std::filesystem::path> setAside;  ///< where files are now that cannot be read
};

enum class SyncScope {
  Differences,  ///< versions that the catalog has with the same manifest are not read again
  Everything,   ///< all are read into a catalog that was emptied
  Repair,       ///< all are read, and what has no ref stays listed
};

/// What a catalog says of refs, as far as it can be read.
struct RememberedRefs {
  std::vector<VersionRef> versions;
  std::vector<TagRef> tags;
  bool isSound = true;  ///< read from a catalog without damage

  static RememberedRefs of(const Catalog& catalog);
};

/// Settles what a writer that died left half-done among the refs, then makes the catalog say what
/// they say, in one transaction. Only under the write lock.
///
/// A version without a ref was not deleted: that leaves a mark until the catalog knows
/// (RefFolder::goingNumbers), and so does a rename. Its ref is damage. With Differences the catalog
/// goes on listing it, and the tags of live versions that lost their files. With the other scopes
/// its ref is written anew from `remembered`. So are damaged refs, tags, and refs whose manifest is
/// gone where `remembered` has one of the same content. If the manifest is not here, only a sound
/// catalog is believed, and a damaged ref is set aside (RefFolder::setAside). Else the version is a
/// problem of the report.
///
/// A `change.json` that cannot be read is an error with Differences. The other scopes keep a copy
/// of it, and do what it said as far as a sound catalog remembers (core/store/refs/lost_change.h).
/// Fails with Cancelled, NoSpace, Io, CorruptData (the catalog, or `change.json`).
Result<SyncReport> syncCatalog(Catalog& catalog, const RefFolder& refs, const ObjectFolder& objects,
                               SyncScope scope, const RememberedRefs& remembered,
                               std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
