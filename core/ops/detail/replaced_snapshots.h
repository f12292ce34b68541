#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/ops/detail/renamed_names.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// Snapshots that a version without their optimizer took the place of here (isWeightsOnly). A
/// remote goes on to list them. A pull of all passes them by: whoever left the optimizers out would
/// have them back with each pull.
class ReplacedSnapshots {
 public:
  /// `store` and `renamed` have to outlive it.
  ReplacedSnapshots(const Store& store, const RenamedNames& renamed)
      : store_(&store), renamed_(&renamed) {}

  /// The live version that took the place of a version of a remote; nothing for others. Manifests
  /// of a name are read once, and only where it has such versions. Fails as the catalog.
  Result<std::optional<VersionEntry>> inPlaceOf(const RemoteVersion& there);

 private:
  struct Replacement {
    VersionEntry version;
    std::optional<Digest> original;  ///< what it was made of, or what that was made of
  };
  Result<const std::vector<Replacement>*> replacementsOf(const std::string& name);

  const Store* store_;
  const RenamedNames* renamed_;
  std::map<std::string, std::vector<Replacement>> byName_;  ///< names here
};

}  // namespace strata
