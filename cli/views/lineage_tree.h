#pragma once

#include <string>
#include <vector>

#include "core/ops/inspect/list_versions.h"

namespace strata::cli {

/// One line of the tree: a version behind its branch.
struct TreeLine {
  std::string branch;  ///< "|-- sst2", "|   `--"
  const ListRow* row = nullptr;
};

/// Arranges versions under their bases: each base with the names tuned from it, each name with its
/// versions, newest first. Versions whose base is not among `rows` come last, as roots of their
/// own. Borrows `rows`.
std::vector<TreeLine> lineageTree(const std::vector<ListRow>& rows);

}  // namespace strata::cli
