#pragma once

#include <string>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/store/store.h"

namespace strata {

/// The refs of versions that are here, with the notes that they were given on the remote alone.
/// Of the versions that the plan is about. The report says which ones, and which were edited on
/// both sides and stay. `remote`: under which name the store keeps what was agreed on
/// (agreed_tags.h). Where it is empty, as for a bundle, all notes stay. Fails as refOf.
Result<std::vector<VersionRef>> notesToTake(const Store& store, const Catalog& catalog,
                                            const RemoteLibrary& library, const PullPlan& plan,
                                            const std::string& remote, PullReport& report);

}  // namespace strata
