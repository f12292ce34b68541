#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/ops/runs/drop_optimizer.h"
#include "core/ops/runs/take_snapshot.h"

namespace strata {

struct WatchOptions {
  /// How snapshots are stored, with the run's name; `snapshot.path` is not used.
  SnapshotOptions snapshot = {};
  std::filesystem::path folder = {};  ///< where the trainer writes its checkpoints
  /// A checkpoint is passed over that is less than so many steps after one that was taken.
  std::uint64_t every = 0;
  /// After each snapshot, the optimizer is left out of all but the newest so many, 1 at least.
  std::optional<std::uint64_t> keepOptimizer = {};
  /// New checkpoints are copied to memory first, so many bytes of them at most; 0: none are. Those
  /// that an earlier watcher left there are stored anyhow (core/ops/runs/detail/memory_tier.h).
  std::uint64_t memoryTierBytes = 0;
  std::filesystem::path memoryFolder = {};  ///< a folder in memory; empty: /dev/shm
  std::chrono::milliseconds interval = std::chrono::seconds(5);  ///< between two looks
  bool once = false;                                             ///< take in what is there, and end
};

/// What a watcher has to say. Each thing is said once, until it changes.
struct WatchEvent {
  enum class Kind {
    Taken,    ///< a checkpoint was stored: `snapshot`
    Mended,   ///< the run had one, and it was damaged or not here: it is whole now; `snapshot`
    Copied,   ///< one lies in memory now, from where it goes to the store
    Passed,   ///< one was not: `text` says why
    Skipped,  ///< one was not, for it has not drifted enough: `snapshot`
    Twin,     ///< one was not, for the run has its bytes under another name: `snapshot`
    Dropped,  ///< an older snapshot lost its optimizer: `dropped`
    Warning,  ///< something that the user should know: `text`
  };
  Kind kind = Kind::Warning;
  std::filesystem::path path = {};  ///< of the checkpoint
  std::string text = {};
  const SnapshotReport* snapshot = nullptr;
  const DropOptimizerReport::Dropped* dropped = nullptr;
};

struct WatchCalls {
  /// With `memoryTierBytes` two threads call it, one of them for what is copied.
  std::function<void(const WatchEvent&)> onEvent = {};
  /// Sends the run on: at the first look that finds versions of it, after a checkpoint was stored,
  /// and again at each look as long as it fails.
  std::function<Result<void>()> onTaken = {};
};

struct WatchReport {
  std::size_t taken = 0;
  std::size_t known = 0;   ///< checkpoints that the run has or had before
  std::size_t mended = 0;  ///< of those: they were damaged or not here
  /// Checkpoints that were passed over and not stored since, without those of `every`.
  std::size_t passed = 0;
  std::size_t skipped = 0;   ///< those that have not drifted enough (SnapshotOptions::leastDrift)
  std::size_t inMemory = 0;  ///< in memory alone at the end: the next watcher stores them
  bool isSent = true;        ///< false: the last call of onTaken failed
  bool isLeftOut = true;     ///< false: snapshots have an optimizer that keepOptimizer is against
  bool isStopped = false;    ///< it was told to end
};

/// Takes in each finished checkpoint in a folder, in the order of their steps, until it is told to
/// stop. The folder is looked at anew at each interval, so that it also works on network disks.
///
/// The files of a checkpoint get names of ours before they are read, so the trainer may delete it
/// meanwhile. One that is unfinished, damaged or changes while it is read is passed over, said
/// once, and tried again when it looks different. What the run has is not taken twice, also after a
/// restart: contents are compared, not names or times; what is damaged of it is mended. A
/// checkpoint may lack an optimizer's or a rank's file that the snapshot stored last has. It is
/// passed over, too, unless the next one lacks it as well: then the training has changed. Where the
/// last checkpoint had not drifted enough to be stored, the watcher says so when it ends.
///
/// With `memoryTierBytes`, a checkpoint of one folder or file is copied to memory as soon as it is
/// finished, also while another one is stored or sent, and stored from there. Where memory has no
/// room it is stored at once, after those of earlier steps. What memory loses before it is stored
/// is taken in again while the trainer's checkpoint is there. Each copy has a list with the SHA-256
/// of its files. A copy that is not what was listed is never stored, and deleted only where the
/// checkpoint lies elsewhere; else it is set aside and named.
///
/// Only what no watcher survives ends it: fails with StoreLocked where the run has a watcher, with
/// InvalidArgument (options), and Io where the store's folder cannot be written to, or with `once`
/// where the watched folder cannot be listed.
Result<WatchReport> watchFolder(Store& store, const CheckpointTools& tools,
                                const WatchOptions& options, const WatchCalls& calls,
                                std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
