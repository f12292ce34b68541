#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/trainer_state.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A training run: a name with snapshots.
struct RunRow {
  std::string run;
  std::uint32_t snapshotCount = 0;
  VersionEntry newest = {};                ///< of its snapshots
  std::optional<TrainerState> state = {};  ///< of the newest
  std::uint64_t originalBytes = 0;         ///< of all its snapshots
  std::uint64_t storedBytes = 0;           ///< the same, as they were stored
};

/// All runs, by name.
Result<std::vector<RunRow>> listRuns(const Store& store);

}  // namespace strata
