#include "core/ops/detail/renamed_names.h"

#include <algorithm>
#include <vector>

#include "core/store/refs/operation.h"

namespace strata {

Result<RenamedNames> RenamedNames::load(const Catalog& catalog) {
  STRATA_TRY(const std::vector<Operation> operations, catalog.operations(0));
  RenamedNames renamed(catalog);
  auto& names = renamed.names_;
  std::for_each(operations.rbegin(), operations.rend(), [&](const Operation& one) {
    if (one.renamedFrom.empty()) return;
    for (auto& [old, now] : names) {
      if (now == one.renamedFrom) now = one.renamedTo;
    }
    names[one.renamedFrom] = one.renamedTo;
    names.erase(one.renamedTo);
  });
  return renamed;
}

Result<std::optional<VersionEntry>> RenamedNames::here(const RemoteVersion& there) const {
  const auto name = names_.find(there.ref.name);
  if (name == names_.end()) return std::nullopt;
  // Listed ones come first.
  STRATA_TRY(const std::vector<VersionEntry> equal, catalog_->withContent(there.ref.contentDigest));
  const auto found = std::find_if(equal.begin(), equal.end(), [&](const VersionEntry& one) {
    return one.name == name->second && !one.isUnlisted;
  });
  return found == equal.end() ? std::nullopt : std::optional(*found);
}

}  // namespace strata
