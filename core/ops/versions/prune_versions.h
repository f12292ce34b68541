#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/runs/drop_optimizer.h"
#include "core/ops/versions/remove_versions.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// Which versions of a name stay. A version that one rule keeps stays, whatever the others say.
struct KeepRules {
  std::optional<std::uint64_t> last = {};   ///< the newest so many
  std::optional<std::uint64_t> every = {};  ///< those whose number so much divides: v10, v20, …
  bool tagged = false;                      ///< those with a tag
  bool best = false;                        ///< for each metric, the one with the best score
  /// With `best`: this metric alone, as "eval_loss". "eval_f1=max" or "=min" say which way is
  /// better; else the trainer does, or the name (isMoreBetterByName).
  std::string metric = {};

  bool isEmpty() const noexcept { return !last && !every && !tagged && !best; }
};

struct PruneOptions {
  std::vector<std::string> names = {};  ///< with patterns, as `run*`
  KeepRules keep = {};
  /// Snapshots that stay lose their optimizer, but for the newest so many (dropOptimizer). Without
  /// a rule all versions stay.
  std::optional<std::uint64_t> keepOptimizer = {};
  bool dryRun = false;
  std::uint64_t memoryBytes = 512'000'000;  ///< for keepOptimizer
  Device* device = nullptr;                 ///< the same; borrowed; null: the CPU
};

struct PruneReport {
  struct Row {
    VersionEntry version;
    /// "last 5", "tag prod", "best eval_loss 0.2 (min)"; none: it goes.
    std::vector<std::string> reasons = {};
  };
  /// Which version is the best by a metric, and which way that was meant.
  struct Best {
    std::string label;
    std::string metric;
    double score = 0;
    bool isMoreBetter = true;
  };
  std::vector<Row> rows;            ///< by name, the newest first
  std::vector<Best> best = {};      ///< with KeepRules::best
  RemoveReport removal;             ///< of those without a reason
  DropOptimizerReport optimizers;   ///< of all names
  std::uint64_t freeableBytes = 0;  ///< what emptying the trash frees after that; 0 in a dry run
};

/// Moves the versions that no rule keeps to the trash, all or none, as removeVersions does. Then
/// leaves the optimizer out of what stays; where that ends early, `optimizers.ended` says why, and
/// the rest of the report what was done. For `undo`, all of it is one operation.
///
/// The best of a run's snapshots is told by its trainer's state, that of other versions by the
/// scores that were stored with them.
///
/// Fails with InvalidArgument (no rule; a rule of 0; `best` for a name without scores, or for a
/// metric of which nothing says whether more or less is better), NotFound,
/// StoreLocked, CorruptData (a manifest with scores), Io, and as dropOptimizer().
Result<PruneReport> pruneVersions(Store& store, const PruneOptions& options,
                                  const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
