#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/model/checkpoint.h"
#include "core/ops/versions/add_version.h"
#include "core/profile/quality_plan.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct SnapshotOptions {
  /// How it is stored. `add.name` is the run. Chain and tags are set here: a snapshot stands on the
  /// one before it, and has the tag "step-500" where the step is known.
  AddOptions add = {};
  std::optional<QualityPlan> plan = {};  ///< lossy; nothing: exact
  std::filesystem::path path = {};       ///< the checkpoint, a folder or a file
  /// One that lies in the trash, was deleted for good or lost its optimizer (dropOptimizer) counts
  /// as taken.
  bool skipRemoved = false;
};

struct SnapshotReport {
  AddReport added;
  CheckpointState state;
  /// A version of the run has this content already: `added.version`, unless that was deleted.
  bool wasTaken = false;
};

/// Stores a checkpoint of a training run as the next version of the run, with all its files. They
/// come back byte for byte where it is exact; in a lossy one those that hold no weights do.
///
/// Fails with Unsupported where the checkpoint is not finished, naming why; with what reading it
/// fails with, and as addVersion(), also where a file changes meanwhile.
Result<SnapshotReport> takeSnapshot(Store& store, const CheckpointTools& tools,
                                    const SnapshotOptions& options, std::stop_token stop,
                                    const ProgressSink& progress);

}  // namespace strata
