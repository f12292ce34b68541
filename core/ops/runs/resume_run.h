#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/restore_version.h"

namespace strata {

struct ResumeOptions {
  /// The name of the run. A reference to one version of it, such as "run:v3" or "run:step-20",
  /// means that snapshot and no other.
  std::string run = {};
  std::optional<std::uint64_t> step = {};  ///< nothing: the newest snapshot
  /// Where to. Empty: a name in the current folder, "checkpoint-500" for a trainer of transformers,
  /// else what its trainer called it, or "RUN-v3" where that is not known.
  std::filesystem::path target = {};
  /// As WatchOptions::memoryFolder. Nothing: what lies in memory does not count.
  std::optional<std::filesystem::path> memoryFolder = {};
  bool force = false;  ///< replace files that exist; all else that is there stays
  /// Brings what a snapshot was pulled without (`pull --lazy`), before it is restored. Where that
  /// fails with NotFound or CorruptData, the snapshot is passed over. Empty: nothing is brought.
  std::function<Result<void>(const VersionEntry&)> fetch = {};
  bool verify = false;       ///< as RestoreOptions::verify
  Device* device = nullptr;  ///< borrowed; null: the CPU
};

struct ResumeReport {
  /// A newer snapshot that no training can go on from.
  struct Passed {
    std::string label;
    std::string why;
  };
  RestoreReport restored;  ///< from memory: files and bytes alone
  CheckpointState state;
  bool isFromMemory = false;    ///< a watcher's copy that is not stored yet (WatchOptions)
  std::filesystem::path place;  ///< the folder or file that the trainer resumes from
  std::vector<Passed> passed;   ///< newer ones, the newest first
  RunVersion snapshot = {};     ///< the one that was restored
  /// What speaks of two ways (besideChosen). By step: others of that step; by version: none.
  std::vector<RunVersion> beside = {};
};

/// The snapshots that resumeRun() restores from, the first one that is complete: those that `run`
/// and `step` may mean, as ResumeOptions has them, without those that no training can go on from.
/// For who reads a snapshot where it is. Fails with NotFound and InvalidArgument as resumeRun().
Result<std::vector<RunVersion>> snapshotsToResume(const Store& store, const std::string& run,
                                                  std::optional<std::uint64_t> step);

/// Restores the newest complete snapshot of a run: of those that runSnapshots() lists, the first
/// that is complete. Complete means that it can be rebuilt, and that what comes out is a finished
/// checkpoint; one that is damaged is passed over for the one before it, and so are weights alone
/// where the run has snapshots with more. Of several of `step` the one with the tag "step-N" comes
/// first, as it does in references, then the one that was stored last. The target gets its name in
/// one step, once all of that is known; over a folder that exists, files get theirs as those of
/// restoreVersion() do.
///
/// A checkpoint that a watcher keeps in memory, because it is not stored yet, comes before
/// snapshots of its step and earlier ones. One whose step is not known comes before all. It is
/// copied, and the copy is looked at, as what is restored.
///
/// Fails with NotFound where the run, or a complete snapshot of it, is not there; with CorruptData
/// where there is none because of damage, naming the snapshots that are sound; with InvalidArgument
/// where the target exists, or `run` names a snapshot of another step than `step`; and as
/// restoreVersion().
Result<ResumeReport> resumeRun(const Store& store, const CheckpointTools& tools,
                               const ResumeOptions& options, std::stop_token stop,
                               const ProgressSink& progress);

}  // namespace strata
