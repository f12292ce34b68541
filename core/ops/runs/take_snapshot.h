#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluate/evaluator.h"
#include "core/model/checkpoint.h"
#include "core/ops/quantize/tune_model.h"
#include "core/ops/runs/run_versions.h"
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
  /// Scores what a lossy one restores to; nothing: the plan's settings are taken as they are. The
  /// settings are searched for the plan's loss of quality. What was found for the snapshot before
  /// is where the search of the next one begins.
  std::optional<EvaluatorOptions> evaluator = {};
  std::filesystem::path path = {};  ///< the checkpoint, a folder or a file
  /// It is one of many. What lies in the trash, was deleted for good or lost its optimizer
  /// (dropOptimizer) counts as taken; what was taken keeps its note; and a base "none" is for the
  /// first of the run alone.
  bool isWatched = false;
  /// One whose weights are nearer than that to the snapshot before it is not stored
  /// (||new - stored|| / ||stored||). That is the one that was stored last of those of earlier
  /// steps, without those of which the trainer's log shows that this training went another way.
  /// Where no step is known it is the one that was stored last.
  std::optional<double> leastDrift = {};
  /// Brings the packs that a version was pulled without (`pull --lazy`), before the checkpoint is
  /// stored as a difference to it. Empty: nothing is brought.
  std::function<Result<void>(const VersionEntry&)> fetch = {};
  RunReader* reader = nullptr;  ///< borrowed, for leastDrift; what it has read is not read again
};

struct SnapshotReport {
  AddReport added;
  CheckpointState state;
  /// A version of the run has this content already: `added.version`, unless that was deleted.
  bool wasTaken = false;
  /// With isWatched: the run had it, and it was deleted for good.
  bool wasDeleted = false;
  /// Why it is exact although a lossy one was asked for: nothing was there that it could be a
  /// difference to or that was damaged or not here, no setting met the target, or nothing could be
  /// scored. Empty: it is lossy.
  std::string exactBecause = {};
  /// Why it is a difference to nothing: what it would stand on is damaged, or was pulled without
  /// its packs. Empty: it is one, or nothing here is like it.
  std::string inFullBecause = {};
  std::optional<TuneReport> tune = {};  ///< where settings were searched or measured
  std::optional<double> drift = {};     ///< where leastDrift asked for it
  std::string nearTo = {};  ///< label of the snapshot that it is too near to: it is not stored
  /// What its trainer called `added.version`, which has its step and all of its bytes: it is not
  /// stored again for its own name. Empty: there is none.
  std::string twin = {};
  bool isTwinOfTensors = false;  ///< that one is lossy and was made of all of its tensors

  bool isTooNear() const noexcept { return !nearTo.empty(); }

  std::vector<std::string> doubts = {};  ///< what of one that was stored looks damaged

  /// Whether what the run has of it was damaged or not here, and is whole now.
  bool wasMended() const noexcept { return !added.repaired.empty() || !added.completed.empty(); }
};

/// Stores a checkpoint of a training run as the next version of the run, with all its files. They
/// come back byte for byte where it is exact; in a lossy one those that hold no weights do. What
/// the run has already, by all of its bytes, is not stored again; where that is damaged, it is
/// mended. The step and the trainer's name of it are recorded in its manifest
/// (core/ops/runs/run_versions.h).
///
/// What is safe to use may not be safe to train on. So with an evaluator that tells divergences, a
/// lossy one has to come at least twice as near to the checkpoint as what it stands on is. A
/// snapshot is never lost for its settings: where none serves, it is stored exactly. Nor is it for
/// what it would stand on: where that cannot be read, it is stored in full.
///
/// Fails with Unsupported where the checkpoint is not finished, naming why; with what reading it
/// fails with, and as addVersion(), also where a file changes meanwhile.
Result<SnapshotReport> takeSnapshot(Store& store, const CheckpointTools& tools,
                                    const SnapshotOptions& options, std::stop_token stop,
                                    const ProgressSink& progress);

/// The finished checkpoints of a folder that a trainer writes to, in the order of their steps.
/// Those that are several files beside others are left out. Fails with NotFound or Io.
Result<std::vector<std::filesystem::path>> finishedCheckpoints(const std::filesystem::path& folder,
                                                               const CheckpointTools& tools);

}  // namespace strata
