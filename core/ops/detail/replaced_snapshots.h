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

/// Versions whose place another one took here (StoreWriter::replaceVersion): one without its
/// optimizer, or one that differences were merged into. A remote goes on to list the former ones. A
/// pull of all passes them by: else each pull would bring them back.
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
  Result<bool> tookPlace(const std::string& name, const RemoteVersion& there,
                         const Replacement& one) const;
  /// Its live lossy versions.
  Result<const std::vector<Replacement>*> replacementsOf(const std::string& name);

  const Store* store_;
  const RenamedNames* renamed_;
  std::map<std::string, std::vector<Replacement>> byName_;  ///< names here
};

}  // namespace strata
