#include "core/ops/runs/watch_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/io/folder_lock.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/expected_state_files.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/ops/runs/detail/staged_checkpoint.h"
#include "core/ops/runs/detail/watch_notes.h"
#include "core/ops/runs/run_versions.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/transfer/fetched_models.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Whether the same checkpoint may succeed at the next look although nothing of it has changed.
bool mayPass(ErrorCode code) {
  return code == ErrorCode::StoreLocked || code == ErrorCode::NoSpace || code == ErrorCode::Io ||
         code == ErrorCode::LimitExceeded || code == ErrorCode::Device;
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
        notes_(calls.onEvent),
        tier_(options.memoryFolder, store.folder(), run_, options.memoryTierBytes),
        reader_(store) {
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
    std::error_code ignored;
    fs::remove_all(spare_, ignored);  // a killed watcher's copies: the lock was free
    std::optional<FolderLock> held(std::move(*lock));
    tier_.clean();
    while (drainOne()) {
    }
    for (;;) {
      OwnedFolder::removeDead(options_.folder, kStagingPrefix);
      const auto looked = look();
      if (options_.once && !looked) return fail(looked.error());
      if (options_.once || stop_.stop_requested()) break;
      if (!drainOne()) wait();
    }
    tier_.clean();
    report_.inMemory = tier_.waiting().size();
    notes_.warnOfMemory(report_.inMemory);
    if (lastSkipped_) notes_.warnOfSkipped(run_, *lastSkipped_);
    held.reset();
    FolderLock::removeFree(spare_);
    report_.isStopped = stop_.stop_requested();
    return report_;
  }

 private:
  /// Fails where the folder cannot be listed, which is no end: a network disk may come back.
  Result<void> look() {
    const auto places = scan_.look();
    if (!places) {
      if (!options_.once) notes_.sayOnce("folder", {.text = places.error().message});
      return fail(places.error());
    }
    notes_.forget("folder");
    takeBackLost();
    forgetAllBut(*places);
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
    if (!isSettled_) dropOptimizers();  // what a watcher that was killed left
    sendWhatWaits();
    notes_.warnOfSpace(options_.folder, store_.folder(), originalBytes_, storedBytes_);
    return {};
  }

  /// What is not there any more needs no memory; one of its name may be another.
  void forgetAllBut(const std::vector<CheckpointPlace>& places) {
    std::set<std::string> names;
    for (const CheckpointPlace& place : places) names.insert(place.path.string());
    std::erase_if(direct_, [&](const std::string& one) { return !names.contains(one); });
    for (const CheckpointPlace& place : tier_.waiting()) names.insert(place.path.string());
    for (auto* const seen : {&settled_, &seen_}) {
      std::erase_if(*seen, [&](const auto& one) { return !names.contains(one.first); });
    }
    std::erase_if(failed_, [&](const auto& one) { return !names.contains(one.first); });
    notes_.forgetPlacesBut(names);
  }

  void consider(const CheckpointPlace& place) {
    const std::string name = place.path.string();
    if (const auto known = settled_.find(name); known != settled_.end()) {
      if (known->second == place.stamp) return;
      settled_.erase(known);
    }
    if (mustRest(name, place.stamp)) return;
    const auto before = seen_.find(name);
    const bool isStill = options_.once || (before != seen_.end() && before->second == place.stamp);
    seen_[name] = place.stamp;
    if (isTooEarly(place.step)) {
      settled_[name] = place.stamp;
      return;
    }
    // Several files are a checkpoint once they are side by side under names of ours.
    const auto state =
        place.files.empty() ? tools_.check(place.path) : Result<CheckpointState>({.mayGrow = true});
    if (!state && state.error().code == ErrorCode::NotFound) return;  // deleted meanwhile
    if (!state) return pass(place, state.error());
    // One that is being written is no news. It is one if nobody goes on.
    if (!state->isFinished()) {
      if (isStill) pass(place, {ErrorCode::Unsupported, "is not finished: " + state->unfinished});
      return;
    }
    if (state->mayGrow && !isStill) return;
    if (isTooEarly(state->step)) {
      settled_[name] = place.stamp;
      return;
    }
    const auto step = state->step ? state->step : place.step;
    if (!step || !keepInMemory(place)) take(place);
  }

  /// Whether it waits in memory now for being stored.
  bool keepInMemory(const CheckpointPlace& place) {
    const std::string name = place.path.string();
    const bool mayBe = options_.memoryTierBytes > 0 && !options_.once && place.files.empty();
    if (!mayBe || direct_.contains(name)) return false;
    const auto copied = tier_.copy(place, tools_, stop_);
    if (copied && *copied) {
      settled_[name] = place.stamp;
      inMemory_[(tier_.folder() / place.path.filename()).string()] = name;
      notes_.forget("memory");
      notes_.say({.kind = WatchEvent::Kind::Copied, .path = place.path});
      return true;
    }
    const std::string why = copied ? "memory has no room for " + place.path.filename().string()
                                   : copied.error().message;
    const bool isOver = !copied && copied.error().code == ErrorCode::Cancelled;
    if (!isOver) notes_.sayOnce("memory", {.text = "not copied to memory first: " + why});
    return isOver;
  }

  /// What memory has lost before it was stored is to be taken from the trainer's folder.
  void takeBackLost() {
    std::error_code status;
    std::erase_if(inMemory_, [&](const auto& one) {
      const bool isLost = !fs::exists(one.first, status);
      if (isLost) settled_.erase(one.second);
      return isLost;
    });
  }

  /// Stores the oldest checkpoint in memory; false where none is there that can be stored now.
  bool drainOne() {
    for (const CheckpointPlace& place : tier_.waiting()) {
      const std::string copy = place.path.string();
      if (stop_.stop_requested()) return false;
      if (mustRest(copy, place.stamp)) continue;
      CheckpointPlace shown = place;
      shown.path = options_.folder / place.path.filename();
      const bool isEarly = isTooEarly(place.step);
      const auto done = isEarly ? Result<SnapshotReport>() : store(place, shown.path);
      const ErrorCode code = done ? ErrorCode::Internal : done.error().code;
      if (!done && code == ErrorCode::Cancelled) return false;
      if (!done && mayPass(code)) {
        failed_[copy] = {place.stamp, Clock::now()};
        notes_.sayOnce(WatchNotes::ofPlace(copy),
                       {.path = shown.path, .text = done.error().message});
        continue;
      }
      if (done && !isEarly) noteTaken(shown.path, *done);
      inMemory_.erase(copy);
      tier_.drop(place.path);
      if (!done) passFromMemory(shown, done.error());
      return true;
    }
    return false;
  }

  /// The trainer's own may yet serve: what it lacks may be what the next one lacks, too.
  void passFromMemory(const CheckpointPlace& shown, const Error& why) {
    std::error_code status;
    if (!fs::exists(shown.path, status)) return pass(shown, why);
    direct_.insert(shown.path.string());
    settled_.erase(shown.path.string());
  }

  /// One that could not be read or stored is not read anew at each look, unless it has changed.
  bool mustRest(const std::string& name, const std::string& stamp) {
    const auto failed = failed_.find(name);
    if (failed == failed_.end()) return false;
    if (failed->second.stamp == stamp && Clock::now() - failed->second.at < kRest) return true;
    failed_.erase(failed);
    return false;
  }

  /// By --every: less than so many steps after one that was taken.
  bool isTooEarly(std::optional<std::uint64_t> step) {
    if (!step || options_.every == 0) return false;
    const auto versions = store_.catalog().versionsOf(run_);
    if (!versions) return false;
    return std::any_of(versions->begin(), versions->end(), [&](const VersionEntry& version) {
      const auto taken = reader_.read(version).step;
      return taken && *taken < *step && *step - *taken < options_.every;
    });
  }

  void take(const CheckpointPlace& place) {
    const auto done = store(place, place.path);
    if (!done) {
      // A trainer that deletes it is no news, nor is the end.
      const ErrorCode code = done.error().code;
      std::error_code status;
      const bool isGone = code == ErrorCode::NotFound && !fs::exists(place.path, status);
      if (!isGone && code != ErrorCode::Cancelled) pass(place, done.error());
      return;
    }
    settled_[place.path.string()] = place.stamp;
    noteTaken(place.path, *done);
  }

  /// The run has it, or it need not be stored.
  void noteTaken(const fs::path& path, const SnapshotReport& done) {
    notes_.forget(WatchNotes::ofPlace(path.string()));
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
    if (done.wasTaken && !done.wasMended()) return;
    if (done.wasTaken) {
      ++report_.mended;
      notes_.say({.kind = WatchEvent::Kind::Mended, .path = path, .snapshot = &done});
      return;
    }
    originalBytes_ = done.added.version.originalBytes;
    storedBytes_ = done.added.version.storedBytes;
    notes_.say({.kind = WatchEvent::Kind::Taken, .path = path, .snapshot = &done});
    dropOptimizers();
    send();
  }

  void dropOptimizers() {
    isSettled_ = true;
    if (!options_.keepOptimizer || !store_.catalog().newest(run_).value_or(std::nullopt)) return;
    const auto done = dropOptimizer(store_,
                                    {.run = run_,
                                     .keepLast = *options_.keepOptimizer,
                                     .known = passedOver_,
                                     .reader = &reader_,
                                     .memoryBytes = snapshot_.add.memoryBytes,
                                     .device = snapshot_.add.device},
                                    stop_, progress_);
    if (done) sayDropped(*done);
    const Error* const why = !done ? &done.error() : done->ended ? &*done->ended : nullptr;
    isSettled_ = why == nullptr;
    const bool isOver = why != nullptr && why->code == ErrorCode::Cancelled;
    report_.isLeftOut = (isSettled_ || isOver) && !isAnyKept_;
    if (isSettled_) notes_.forget("optimizer");
    if (isSettled_ || isOver) return;
    notes_.sayOnce("optimizer", {.text = "older snapshots keep their optimizer: " + why->message});
  }

  void sayDropped(const DropOptimizerReport& report) {
    passedOver_.insert(report.passed.begin(), report.passed.end());
    for (const auto& one : report.dropped) {
      notes_.say({.kind = WatchEvent::Kind::Dropped, .dropped = &one});
    }
    for (const auto& one : report.kept) {
      isAnyKept_ = true;
      notes_.sayOnce("optimizer of " + one.label,
                     {.text = one.label + ": keeps its optimizer: " + one.why});
    }
  }

  /// `shown` is where its trainer has it.
  Result<SnapshotReport> store(const CheckpointPlace& place, const fs::path& shown) {
    STRATA_TRY(const auto staged, StagedCheckpoint::make(place, spare_, stop_));
    STRATA_TRY(const auto model, openStaged(staged, tools_.open));
    // What was linked and hashed is what counts: the trainer may have gone on since.
    STRATA_TRY(CheckpointState state, tools_.check(staged.path()));
    if (!state.step) state.step = place.step;
    if (!state.isFinished()) {
      return fail(ErrorCode::Unsupported, "is not finished: " + state.unfinished);
    }
    STRATA_TRY(checkStateFiles(shown, *model));
    return storeSnapshot(store_, tools_, *model, state, staged.path(), snapshot_, stop_, progress_);
  }

  /// A folder that is half deleted, or that lacks a rank, may be whole by all that it says itself.
  /// What the run has already is no matter of what else it has.
  Result<void> checkStateFiles(const fs::path& shown, const ModelSource& model) {
    STRATA_TRY(const auto lack, stateFiles_.lackOf(run_, shown.string(), model.description()));
    if (!lack) return {};
    STRATA_TRY(const auto taken, snapshotOf(store_, run_, model, snapshot_.plan.has_value()));
    if (taken) return {};
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
      if (settled_.erase(name) > 0 && notes_.forget(WatchNotes::ofPlace(name))) --report_.passed;
    }
    return !again.empty();
  }

  void pass(const CheckpointPlace& place, const Error& why) {
    const std::string name = place.path.string();
    if (mayPass(why.code)) {
      failed_[name] = {place.stamp, Clock::now()};
    } else {
      settled_[name] = place.stamp;
    }
    const bool isNews =
        notes_.sayOnce(WatchNotes::ofPlace(name),
                       {.kind = WatchEvent::Kind::Passed, .path = place.path, .text = why.message});
    if (isNews) ++report_.passed;
  }

  /// What a watcher before this one did not send, and what failed.
  void sendWhatWaits() {
    const bool wasTried = std::exchange(isSendTried_, true);
    if (wasTried && report_.isSent) return;
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

  using Clock = std::chrono::steady_clock;
  struct Failure {
    std::string stamp;
    Clock::time_point at;
  };
  static constexpr std::chrono::seconds kRest{60};

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
  std::map<std::string, std::string> settled_;  ///< stamps of what needs no other look, by path
  std::map<std::string, std::string> seen_;     ///< stamps of the look before
  std::map<std::string, Failure> failed_;       ///< what may succeed although nothing of it changed
  WatchNotes notes_;
  MemoryTier tier_;
  std::map<std::string, std::string> inMemory_;  ///< the trainer's paths of copies in memory
  std::set<std::string> direct_;                 ///< paths of what is not to be copied there
  RunReader reader_;
  bool isSendTried_ = false;
  std::uint64_t originalBytes_ = 0;  ///< of the checkpoint that was taken last
  std::uint64_t storedBytes_ = 0;
  std::optional<std::uint64_t> furthest_;  ///< step of what was looked at
  std::optional<fs::path> lastSkipped_;    ///< by --trigger, if that was the furthest
  std::set<std::string> skipped_;          ///< paths of what was
  std::set<Digest> passedOver_;            ///< manifests of older snapshots that stay as they are
  bool isAnyKept_ = false;                 ///< one of them has its optimizer all the same
  bool isSettled_ = false;                 ///< no other snapshot is to lose its optimizer
  WatchReport report_;
};

}  // namespace

Result<WatchReport> watchFolder(Store& store, const CheckpointTools& tools,
                                const WatchOptions& options, const WatchCalls& calls,
                                std::stop_token stop, const ProgressSink& progress) {
  return Watcher(store, tools, options, calls, std::move(stop), progress).run();
}

}  // namespace strata
