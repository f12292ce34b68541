#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/runs/run_versions.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// A training run: a name with snapshots.
struct RunRow {
  std::string run;
  std::uint32_t snapshotCount = 0;
  RunVersion newest = {};               ///< newestToResume()
  std::vector<RunVersion> beside = {};  ///< what speaks of two ways (besideChosen)
  std::uint64_t originalBytes = 0;      ///< of all its snapshots
  std::uint64_t storedBytes = 0;        ///< the same, as they were stored
};

/// All runs, by name.
Result<std::vector<RunRow>> listRuns(const Store& store);

}  // namespace strata
