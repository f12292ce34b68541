#pragma once

#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/detail/kept/agreed_notes.h"
#include "core/store/store.h"

namespace strata {

/// The refs of versions that are here, with the notes that they were given on the remote alone.
/// Of the versions that the plan is about. The report says which ones, and which were edited on
/// both sides and stay. `agreed`: nullptr for a remote without a name, as a bundle: all notes stay.
/// Fails as refOf.
Result<std::vector<VersionRef>> notesToTake(const Store& store, const Catalog& catalog,
                                            const RemoteLibrary& library, const PullPlan& plan,
                                            const AgreedNotes* agreed, PullReport& report);

}  // namespace strata
