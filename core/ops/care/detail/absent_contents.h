#pragma once

#include <map>
#include <string>

#include "core/ops/detail/lineage.h"
#include "core/store/store.h"

namespace strata {

/// Contents that cannot be rebuilt because their packs were never here, and what brings those.
class AbsentContents {
 public:
  /// `awaiting`: refs by label of versions that were pulled without their packs. Those whose packs
  /// came by now leave it: they can lose them. Fails with what the catalog fails with.
  static Result<AbsentContents> find(const Store& store,
                                     std::map<std::string, VersionRef>& awaiting);

  /// The command that brings the packs without which a version cannot be rebuilt; null if all were
  /// here.
  const std::string* pullOf(const VersionEntry& version, const Lineage& lineage) const;

 private:
  std::map<Digest, std::string> commands_;
};

}  // namespace strata
