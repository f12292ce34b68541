#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// The snapshots of one name that lie in the trash, by their files without the optimizer's.
class TrashedSnapshots {
 public:
  /// Reads the manifests of those of `trashed` that have the name and an optimizer.
  TrashedSnapshots(const Store& store, const std::string& name,
                   const std::vector<VersionEntry>& trashed);
  /// The one whose place the version took, or one of the same files; of several the one that was
  /// removed last. Null where none is there, or where the version's manifest cannot be read.
  const VersionEntry* behind(const VersionEntry& weightsOnly) const;

 private:
  using Files = std::vector<std::pair<std::string, Digest>>;  ///< paths and hashes

  const Store& store_;
  std::map<Files, VersionEntry> snapshots_;
};

/// A snapshot in the trash that mends what has its place without its optimizer.
struct MendingSnapshot {
  VersionEntry snapshot;
  VersionEntry damaged;
};

/// Which snapshots of `trashed` mend one of `versions` that is live and without its optimizer: they
/// are sound, and it is damaged. What it awaits from a remote is no damage. All objects of such
/// pairs are hashed. The oldest version of a name comes first, so that each may stand on the one
/// before it. Fails as LineageCheck.
Result<std::vector<MendingSnapshot>> mendingSnapshots(const Store& store, LineageCheck& check,
                                                      const std::vector<VersionEntry>& versions,
                                                      const std::vector<VersionEntry>& trashed,
                                                      const std::stop_token& stop,
                                                      const ProgressSink& progress);

}  // namespace strata
