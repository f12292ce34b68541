#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/model/checkpoint.h"
#include "core/model/trainer_state.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A version of a name as a part of a training run. What it says of the training comes from what
/// was stored: the trainer's own `trainer_state.json`, then what was recorded when the snapshot
/// was taken. Tags, which a user may move or remove, count where neither says anything.
struct RunVersion {
  VersionEntry version;
  /// It was taken as a snapshot, has a snapshot's tag, or holds a `trainer_state.json`.
  bool isSnapshot = false;
  std::optional<std::uint64_t> step = {};
  std::optional<TrainerState> state = {};  ///< its step alone where nothing else is known
  bool hasTrainerState = false;            ///< transformers wrote it
  std::string checkpoint = {};  ///< what its trainer called it, a plain name; empty: not known
  /// Why its manifest, or the trainer's state in it, could not be read.
  std::optional<Error> problem = {};
  /// It may hold what a training goes on from, and not the weights alone.
  bool hasTraining = true;

  /// "run:v3, step 60".
  std::string shown() const;
};

/// One version by itself: its manifest and its trainer's state are read. Of the state the score is
/// that of `metric` where it is not empty (parseTrainerState).
RunVersion readRunVersion(const Store& store, VersionEntry version, std::string_view metric = {});

/// Reads versions of runs, and each manifest once: for who looks at a run again and again, as a
/// watcher does after each snapshot. One that could not be read is tried anew after retry().
class RunReader {
 public:
  /// `store` lives longer.
  explicit RunReader(const Store& store) : store_(&store) {}

  RunVersion read(VersionEntry version);
  void retry() { unread_.clear(); }
  const Store& store() const noexcept { return *store_; }

 private:
  const Store* store_;
  std::map<Digest, RunVersion> known_;   ///< by manifests; without what tags say
  std::map<Digest, RunVersion> unread_;  ///< the same, of those that have a problem
};

/// The versions of a name, the newest of the run first: the one that was trained furthest. The step
/// decides. Where steps are equal, exact ones come before lossy ones, then the number decides. One
/// whose step is not known stands by its number.
/// Fails as the catalog does.
Result<std::vector<RunVersion>> runVersions(RunReader& reader, std::string_view name);
Result<std::vector<RunVersion>> runVersions(const Store& store, std::string_view name);

/// The snapshots among them, in the same order.
Result<std::vector<RunVersion>> runSnapshots(RunReader& reader, std::string_view name);
Result<std::vector<RunVersion>> runSnapshots(const Store& store, std::string_view name);

/// The first of `snapshots`, of which there is one at least, that a training can go on from as far
/// as is known: none that lost its optimizer, nor weights alone where others hold more. The first
/// of all where there is none. resumeRun() begins with it.
const RunVersion& newestToResume(const std::vector<RunVersion>& snapshots);

/// Sorts the versions of one name, the newest first: those of a run as runVersions() does, others
/// by their age.
void sortNewestFirst(const Store& store, std::vector<VersionEntry>& versions);

/// Whether one of these versions has a snapshot's tag: cheap, for lists of a whole store.
bool looksLikeRun(const std::vector<VersionEntry>& versions);

/// Snapshots beside `chosen` that speak of a run which went two ways: others of the same step, and
/// the one that was stored last, where that is of an earlier step. `snapshots` are runSnapshots().
std::vector<RunVersion> besideChosen(const std::vector<RunVersion>& snapshots,
                                     const VersionEntry& chosen);

/// What a manifest records of a snapshot: metadata by these keys (docs/FORMAT.md).
std::vector<std::pair<std::string, std::string>> snapshotRecord(std::optional<std::uint64_t> step,
                                                                std::string_view checkpoint);

}  // namespace strata
