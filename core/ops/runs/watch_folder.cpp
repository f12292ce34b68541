#include "core/ops/runs/watch_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/io/folder_lock.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/copied_files.h"
#include "core/ops/runs/detail/expected_state_files.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/detail/older_optimizers.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/ops/runs/detail/staged_checkpoint.h"
#include "core/ops/runs/detail/watch_looks.h"
#include "core/ops/runs/detail/watch_notes.h"
#include "core/ops/runs/detail/watched_memory.h"
#include "core/ops/runs/run_versions.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/text/command_words.h"
#include "core/transfer/fetched_models.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Whether a step is less than `every` after one of these.
bool isWithin(std::uint64_t every, std::optional<std::uint64_t> step,
              const std::set<std::uint64_t>& taken) {
  return step && std::ranges::any_of(
                     taken, [&](std::uint64_t one) { return one < *step && *step - one < every; });
}

/// One call of watchFolder.
class Watcher {
 public:
  Watcher(Store& store, const CheckpointTools& tools, const WatchOptions& options,
          const WatchCalls& calls, std::stop_token stop, const ProgressSink& progress)
      : store_(store),
        tools_(tools),
        options_(options),
        calls_(calls),
        stop_(std::move(stop)),
        progress_(progress),
        snapshot_(options.snapshot),
        run_(options.snapshot.add.name),
        spare_(fetchedModelFolder(store.folder(), "watch " + run_)),
        scan_(options.folder, &tools),
        stateFiles_(store),
        looks_(options.interval),
        notes_(calls.onEvent),
        memory_(store, tools, options, run_, looks_, notes_, stop_),
        reader_(store),
        older_(store,
               {.run = run_,
                .keepLast = options.keepOptimizer.value_or(1),
                .reader = &reader_,
                .memoryBytes = options.snapshot.add.memoryBytes,
                .device = options.snapshot.add.device},
               notes_) {
    snapshot_.isWatched = true;
    snapshot_.reader = &reader_;
  }

  Result<WatchReport> run() {
    STRATA_TRY(checkName(run_));
    if (options_.keepOptimizer && *options_.keepOptimizer == 0) {
      return fail(ErrorCode::InvalidArgument, "--keep-optimizer: is 0, expected 1 or more");
    }
    auto lock = FolderLock::take(spare_);
    if (!lock && lock.error().code == ErrorCode::StoreLocked) {
      return fail(ErrorCode::StoreLocked, fmt::format("{}: the run has a watcher already", run_));
    }
    if (!lock) return fail(std::move(lock).error());
    std::optional<FolderLock> held(std::move(*lock));
    takeLeft(options_.folder);
    takeLeft(spare_);
    memory_.begin();
    while (drainOne()) {
    }
    if (memory_.mayCopy()) storedBefore_ = storedSteps();
    for (;;) {
      const auto looked = look();
      storedBefore_.clear();
      if (options_.once && !looked) return fail(looked.error());
      if (options_.once || stop_.stop_requested()) break;
      if (!drainOne()) wait();
    }
    memory_.clean();
    report_.inMemory = memory_.waiting().size();
    report_.passed += passed_.size() + memory_.passedCount();
    notes_.warnOfMemory(report_.inMemory);
    if (lastSkipped_) notes_.warnOfSkipped(run_, *lastSkipped_);
    held.reset();
    std::error_code problem;
    if (!fs::exists(spare_, problem) || fs::is_empty(spare_, problem)) {
      FolderLock::removeFree(spare_);
    }
    report_.isStopped = stop_.stop_requested();
    return report_;
  }

 private:
  /// A watcher that was killed may have had the only names of a checkpoint that its trainer
  /// deleted.
  void takeLeft(const fs::path& around) {
    std::vector<OwnedFolder> folders = OwnedFolder::takeDead(around, kStagingPrefix);
    for (OwnedFolder& folder : folders) {
      const auto left = StagedCheckpoint::leftIn(folder.path());
      const bool stays = stop_.stop_requested() || (left && !takeLeft(*left));
      if (stays) folder.release();
    }
  }

  /// False where it is to stay: nothing else has it.
  bool takeLeft(const CheckpointPlace& left) {
    const fs::path own = options_.folder / left.path.filename();
    std::error_code status;
    const auto copied = CopiedFiles::of(left.path, stop_);
    const auto ofTrainer = fs::exists(own, status) ? CopiedFiles::of(own, stop_) : copied;
    const bool isTrainers = fs::exists(own, status) && copied && ofTrainer && *copied == *ofTrainer;
    if (isTrainers || isTooEarly(left.step)) return true;
    const auto done = store(left, own);
    if (done) noteTaken(own, *done);
    if (done || done.error().code == ErrorCode::Cancelled) return done.has_value();
    notes_.sayOnce(
        "left " + left.path.string(),
        {.kind = WatchEvent::Kind::Passed,
         .path = left.path,
         .text = fmt::format("is what a killed watcher had, and is not stored: {}; nothing "
                             "else has it; \"rm -r {}\" deletes it",
                             done.error().message, shellPath(left.path.parent_path().string()))});
    passed_.insert(left.path.string());
    return false;
  }

  /// Fails where the folder cannot be listed, which is no end: a network disk may come back.
  Result<void> look() {
    const auto places = scan_.look();
    if (!places) {
      if (!options_.once)
        notes_.sayOnce("folder", {.text = places.error().message + "; waiting for it"});
      return fail(places.error());
    }
    notes_.forget("folder");
    memory_.takeBackLost();
    forgetAllBut(*places);
    for (const CheckpointPlace& place : *places) {
      // So is what is there at the start and says no step.
      if (isFirstLook_ && !place.step) memory_.leaveOut(place.path);
    }
    isFirstLook_ = false;
    if (places->empty() && notes_.hintAtFolder(tools_, options_.folder, options_.once)) {
      ++report_.passed;
    }
    for (bool isAgain = true; isAgain;) {
      for (const CheckpointPlace& place : *places) {
        if (stop_.stop_requested()) return {};
        consider(place);
      }
      isAgain = takeBackLacking();
    }
    if (options_.keepOptimizer && !older_.isSettled()) {  // what a watcher that was killed left
      const auto copying = copyMeanwhile();
      leaveOutOptimizers();
    }
    sendWhatWaits();
    notes_.warnOfSpace(options_.folder, store_.folder(), originalBytes_, storedBytes_);
    return {};
  }

  /// What is not there any more needs no memory; one of its name may be another.
  void forgetAllBut(const std::vector<CheckpointPlace>& places) {
    std::set<std::string> names;
    for (const CheckpointPlace& place : places) names.insert(place.path.string());
    memory_.keepOnly(names);
    looks_.keepOnly(names);
    notes_.forgetPlacesBut(names);
  }

  void consider(const CheckpointPlace& place) {
    const auto found =
        looks_.look(place, tools_, options_.once,
                    [&](std::optional<std::uint64_t> step) { return isTooEarly(step); });
    if (found.problem) return pass(place, *found.problem);
    if (!found.isReady) return;
    CheckpointPlace known = place;
    known.step = found.step;
    const bool isForMemory = !found.step || !storedBefore_.contains(*found.step);
    if (isForMemory && memory_.keep(known)) return;
    // What memory has of earlier steps comes first.
    while (drainOne(found.step.value_or(UINT64_MAX))) {
    }
    if (!stop_.stop_requested()) take(place);
  }

  /// Stores the oldest checkpoint in memory, of no later step than that; false where none is there
  /// that can be stored now.
  bool drainOne(std::uint64_t latest = UINT64_MAX) {
    for (const MemoryTier::Copy& copy : memory_.waiting()) {
      if (copy.place.step.value_or(0) > latest) return false;
      const std::string name = copy.place.path.string();
      if (stop_.stop_requested()) return false;
      if (looks_.mustRest(copy.place)) continue;
      const auto copying = copyMeanwhile();
      const fs::path own = memory_.ownOf(copy);
      const bool isEarly = isTooEarly(copy.place.step);
      const auto done = isEarly ? Result<SnapshotReport>() : store(copy.place, own, &copy);
      const ErrorCode code = done ? ErrorCode::Internal : done.error().code;
      if (!done && code == ErrorCode::Cancelled) return false;
      // What is wrong with the store, or with what the user wished, is no reason to lose it.
      if (!done && (isOfStore_ || mayPass(code))) {
        looks_.rest(copy.place);
        notes_.sayOnce(WatchNotes::ofPlace(name), {.path = own, .text = done.error().message});
        continue;
      }
      if (done) memory_.drop(copy);
      if (done && !isEarly) noteTaken(own, *done);
      if (!done) memory_.pass(copy, done.error());
      return true;
    }
    return false;
  }

  /// What becomes finished while it lives is copied to memory. `busy`: being stored directly.
  WatchedMemory::Copying copyMeanwhile(const CheckpointPlace* busy = nullptr) {
    return memory_.copyMeanwhile(
        busy, [taken = takenSteps(), before = storedBefore_, every = options_.every](auto step) {
          return (step && before.contains(*step)) || isWithin(every, step, taken);
        });
  }

  /// By --every: less than so many steps after one that was taken.
  bool isTooEarly(std::optional<std::uint64_t> step) {
    return step && options_.every > 0 && isWithin(options_.every, step, takenSteps());
  }

  /// For --every alone.
  std::set<std::uint64_t> takenSteps() {
    return options_.every == 0 ? std::set<std::uint64_t>() : storedSteps();
  }

  std::set<std::uint64_t> storedSteps() {
    std::set<std::uint64_t> steps;
    const auto versions = store_.catalog().versionsOf(run_);
    if (!versions) return steps;
    for (const VersionEntry& version : *versions) {
      if (const auto step = reader_.read(version).step) steps.insert(*step);
    }
    return steps;
  }

  void take(const CheckpointPlace& place) {
    const auto copying = copyMeanwhile(&place);
    const auto done = store(place, place.path);
    if (!done) {
      // A trainer that deletes it is no news, nor is the end.
      const ErrorCode code = done.error().code;
      std::error_code status;
      const bool isGone = code == ErrorCode::NotFound && !fs::exists(place.path, status);
      if (!isGone && code != ErrorCode::Cancelled) pass(place, done.error());
      return;
    }
    looks_.settle(place);
    noteTaken(place.path, *done);
  }

  /// The run has it, or it need not be stored.
  void noteTaken(const fs::path& path, const SnapshotReport& done) {
    notes_.forget(WatchNotes::ofPlace(path.string()));
    passed_.erase(path.string());
    if (!done.twin.empty()) {
      notes_.say({.kind = WatchEvent::Kind::Twin, .path = path, .snapshot = &done});
    }
    const bool isLast = !done.state.step || !furthest_ || *done.state.step >= *furthest_;
    if (isLast) {
      furthest_ = done.state.step;
      lastSkipped_ = done.isTooNear() ? std::optional(path) : std::nullopt;
    }
    if (done.isTooNear()) {
      if (skipped_.insert(path.string()).second) ++report_.skipped;
      notes_.say({.kind = WatchEvent::Kind::Skipped, .path = path, .snapshot = &done});
      return;
    }
    ++(done.wasTaken ? report_.known : report_.taken);
    if (done.wasDeleted) notes_.warnOfDeleted(run_, path);
    if (done.wasTaken && !done.wasMended()) return;
    if (done.wasTaken) {
      ++report_.mended;
      notes_.say({.kind = WatchEvent::Kind::Mended, .path = path, .snapshot = &done});
      return;
    }
    originalBytes_ = done.added.version.originalBytes;
    storedBytes_ = done.added.version.storedBytes;
    notes_.say({.kind = WatchEvent::Kind::Taken, .path = path, .snapshot = &done});
    leaveOutOptimizers();
    send();
  }

  void leaveOutOptimizers() {
    if (options_.keepOptimizer) older_.leaveOut(stop_, progress_);
    report_.isLeftOut = older_.isLeftOut();
  }

  /// `shown` is where its trainer has it. `copy`: it comes from memory.
  Result<SnapshotReport> store(const CheckpointPlace& place, const fs::path& shown,
                               const MemoryTier::Copy* copy = nullptr) {
    isOfStore_ = false;
    STRATA_TRY(const auto staged, StagedCheckpoint::make(place, spare_, stop_));
    STRATA_TRY(const auto model, openStaged(staged, tools_.open));
    // What was linked and hashed is what counts: the trainer may have gone on since, and memory
    // may have lost something.
    if (copy != nullptr) STRATA_TRY(MemoryTier::check(*copy, staged.path(), stop_));
    STRATA_TRY(CheckpointState state, tools_.check(staged.path()));
    if (!state.step) state.step = place.step;
    if (!state.isFinished()) {
      return fail(ErrorCode::Unsupported, "is not finished: " + state.unfinished);
    }
    isOfStore_ = true;
    STRATA_TRY(checkStateFiles(shown, *model, state.listedShards));
    return storeSnapshot(store_, tools_, *model, state, staged.path(), snapshot_, stop_, progress_);
  }

  /// A folder that is half deleted, or that lacks a rank, may be whole by all that it says itself.
  /// What the run has already is no matter of what else it has.
  Result<void> checkStateFiles(const fs::path& shown, const ModelSource& model,
                               const std::set<std::string>& listedShards) {
    STRATA_TRY(const auto lack,
               stateFiles_.lackOf(run_, shown.string(), model.description(), listedShards));
    if (!lack) return {};
    STRATA_TRY(const auto taken, snapshotOf(store_, run_, model, snapshot_.plan.has_value()));
    if (taken) return {};
    isOfStore_ = false;
    return fail(
        ErrorCode::Unsupported,
        fmt::format("lacks {}, which {} has; \"strata snapshot\" takes it all the same{}",
                    lack->file, lack->version,
                    lack->mayBeDropped ? ", and watch once the next one lacks it, too" : ""));
  }

  /// Those that were passed over for a file that the next one lacks, too, are looked at again.
  bool takeBackLacking() {
    const std::vector<std::string> again = stateFiles_.takeAccepted();
    for (const std::string& name : again) {
      memory_.takeBackRefused(name);
      if (looks_.unsettle(name) && notes_.forget(WatchNotes::ofPlace(name))) passed_.erase(name);
    }
    return !again.empty();
  }

  void pass(const CheckpointPlace& place, const Error& why) {
    const std::string name = place.path.string();
    if (mayPass(why.code)) {
      looks_.rest(place);
    } else {
      looks_.settle(place);
    }
    notes_.sayOnce(WatchNotes::ofPlace(name),
                   {.kind = WatchEvent::Kind::Passed, .path = place.path, .text = why.message});
    passed_.insert(name);
  }

  /// What a watcher before this one did not send, and what failed.
  void sendWhatWaits() {
    const bool wasTried = std::exchange(isSendTried_, true);
    if (wasTried && report_.isSent) return;
    const auto copying = copyMeanwhile();
    const auto newest = store_.catalog().newest(run_);
    if (newest && *newest) send();
  }

  void send() {
    isSendTried_ = true;
    if (!calls_.onTaken) return;
    const auto sent = calls_.onTaken();
    report_.isSent = sent.has_value();
    if (sent) {
      notes_.forget("send");
    } else if (sent.error().code != ErrorCode::Cancelled) {
      notes_.sayOnce("send", {.text = "not pushed: " + sent.error().message});
    }
  }

  void wait() {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop_, options_.interval, [] { return false; });
  }

  Store& store_;
  const CheckpointTools& tools_;
  const WatchOptions& options_;
  const WatchCalls& calls_;
  std::stop_token stop_;
  const ProgressSink& progress_;
  SnapshotOptions snapshot_;
  std::string run_;
  fs::path spare_;  ///< for copies; its lock makes this the only watcher
  CheckpointScan scan_;
  ExpectedStateFiles stateFiles_;
  WatchLooks looks_;
  WatchNotes notes_;
  WatchedMemory memory_;
  /// Until the first look is over: such checkpoints are most likely known, and memory is not for
  /// them.
  std::set<std::uint64_t> storedBefore_;
  bool isFirstLook_ = true;
  bool isOfStore_ = false;  ///< what store() failed with is not the checkpoint's
  RunReader reader_;
  OlderOptimizers older_;
  bool isSendTried_ = false;
  std::uint64_t originalBytes_ = 0;  ///< of the checkpoint that was taken last
  std::uint64_t storedBytes_ = 0;
  std::optional<std::uint64_t> furthest_;  ///< step of what was looked at
  std::optional<fs::path> lastSkipped_;    ///< by --trigger, if that was the furthest
  std::set<std::string> skipped_;          ///< paths of what was
  std::set<std::string> passed_;           ///< paths of what was passed over and not stored since
  WatchReport report_;
};

}  // namespace

Result<WatchReport> watchFolder(Store& store, const CheckpointTools& tools,
                                const WatchOptions& options, const WatchCalls& calls,
                                std::stop_token stop, const ProgressSink& progress) {
  return Watcher(store, tools, options, calls, std::move(stop), progress).run();
}

}  // namespace strata
