#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "core/transfer/remote_refs.h"
#include "core/transfer/transport.h"

namespace strata {

/// The list that both descend from, the one that a store saw last and the one that is there now:
/// it tells which of them changed something since. Nothing where that is not known or not there
/// any more. Fails as Transport::listOf.
Result<std::optional<RefListing>> commonList(Transport& remote, const RefListing& former,
                                             const RefListing& there, const std::stop_token& stop);

struct MergedRef {
  RefText text;
  bool isNoteInDoubt = false;  ///< both have written another note: the one that is there stays
};

/// What a ref of a version says after a mend: what either side changed since `common` said it. What
/// both changed stays as it is there. `former` and `there` are of one content; `common` may be
/// null.
MergedRef mergedVersion(const std::string& name, const RefText& former, const RefText& there,
                        const RefText* common);

}  // namespace strata
