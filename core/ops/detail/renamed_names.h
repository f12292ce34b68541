#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/transfer/remote_version.h"

namespace strata {

/// What names that were renamed here are called now. A remote goes on to use the old ones: its
/// versions are those that are here under the new name, listed or in the trash, with their
/// contents.
class RenamedNames {
 public:
  /// As far as the log of operations goes back. `catalog` has to outlive it.
  static Result<RenamedNames> load(const Catalog& catalog);

  bool isEmpty() const noexcept { return names_.empty(); }
  /// What a name of a remote is called here.
  const std::string& nameHere(const std::string& there) const {
    const auto now = names_.find(there);
    return now == names_.end() ? there : now->second;
  }
  /// The version here under the new name, a listed one before one in the trash. Nothing for names
  /// that were not renamed. Fails as the catalog.
  Result<std::optional<VersionEntry>> here(const RemoteVersion& there) const;

 private:
  explicit RenamedNames(const Catalog& catalog) : catalog_(&catalog) {}

  const Catalog* catalog_;
  std::map<std::string, std::string> names_;  ///< the present one by each earlier one
};

}  // namespace strata
