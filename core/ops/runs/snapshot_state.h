#pragma once

#include <optional>
#include <string_view>

#include "core/model/trainer_state.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// What the trainer said of the training up to a snapshot: its `trainer_state.json`, or the step of
/// its tag alone. Nothing for a version that is no snapshot, or of which neither says anything. A
/// snapshot that is damaged, or whose packs are not here, has what its tag says. The score is that
/// of `metric`, or the one that the trainer goes by.
std::optional<TrainerState> snapshotState(const Store& store, const VersionEntry& version,
                                          std::string_view metric = {});

}  // namespace strata
