#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/digest.h"
#include "core/ops/runs/run_versions.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct DropOptimizerOptions {
  std::string run = {};
  /// So many snapshots of the greatest steps keep theirs, and as many of those stored last. One
  /// that is damaged keeps it and does not count.
  std::uint64_t keepLast = 1;
  /// Numbers of versions that do not count: of a dry run, what is to be removed before.
  std::set<std::uint32_t> without = {};
  std::set<Digest> known = {};  ///< manifests that are not looked at: see `passed`
  std::string command = {};     ///< token of the command that this is part of; see Operation
  RunReader* reader = nullptr;  ///< borrowed; what it has read of the run is not read again
  bool dryRun = false;
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct DropOptimizerReport {
  /// A snapshot whose optimizer was left out.
  struct Dropped {
    VersionEntry former;           ///< in the trash now
    VersionEntry now;              ///< what has its place; of a dry run `former`
    std::uint64_t stateBytes = 0;  ///< of the files that were left out
  };
  /// One of which that was asked for, and that keeps it.
  struct Kept {
    std::string label;
    std::string why;
  };
  std::vector<Dropped> dropped = {};  ///< the oldest first
  std::vector<Kept> kept = {};
  /// Manifests of all older snapshots that stay as they are: those of `kept`, and those that have
  /// no optimizer.
  std::vector<Digest> passed = {};
  /// What ended it before it had seen all of them; what is said above was done.
  std::optional<Error> ended = {};
};

/// Leaves the optimizer (isOptimizerFile) out of all snapshots of a run but the newest. Each of
/// them gets a version of its other files, which are the same byte for byte, and goes to the trash.
/// The new version is lossy, with the profile "weights-only"; tags and date go over to it. It
/// stands on the one before it, and on no version that has an optimizer.
///
/// Each snapshot is one change: killed in between, some have theirs and some do not. A snapshot
/// whose optimizer and weights stand in one file keeps it, and so does one that is damaged, or
/// whose packs are not here.
///
/// Fails with NotFound (the run), StoreLocked, NoSpace, Device, Cancelled, Io. Once it is at work,
/// the same stands in `ended`.
Result<DropOptimizerReport> dropOptimizer(Store& store, const DropOptimizerOptions& options,
                                          const std::stop_token& stop,
                                          const ProgressSink& progress);

}  // namespace strata
