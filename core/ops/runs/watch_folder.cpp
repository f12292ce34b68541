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
#include "core/io/free_space.h"
#include "core/ops/runs/detail/checkpoint_scan.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/ops/runs/detail/staged_checkpoint.h"
#include "core/store/objects/version_chain.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/text/wording.h"
#include "core/transfer/fetched_models.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Whether the same checkpoint may succeed at the next look although nothing of it has changed.
bool mayPass(ErrorCode code) {
  return code == ErrorCode::StoreLocked || code == ErrorCode::NoSpace || code == ErrorCode::Io ||
         code == ErrorCode::LimitExceeded || code == ErrorCode::Device;
}

/// Files of one folder, and not below, that training goes on from.
std::set<std::string> stateFilesOf(const Store& store, const VersionEntry& version) {
  std::set<std::string> names;
  const auto reader = openVersion(store, version);
  if (!reader) return names;
  for (const ManifestFile& file : (*reader)->manifest().files) {
    const bool isOnTop = file.path.find('/') == std::string::npos;
    if (isOnTop && isTrainingState(file.path)) names.insert(file.path);
  }
  return names;
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
        spare_(fetchedModelFolder(store.folder(), "watch " + run_)) {
    snapshot_.skipRemoved = true;
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
    for (;;) {
      OwnedFolder::removeDead(options_.folder, kStagingPrefix);
      const auto looked = look();
      if (options_.once && !looked) return fail(looked.error());
      if (options_.once || stop_.stop_requested()) break;
      wait();
    }
    held.reset();
    FolderLock::removeFree(spare_);
    report_.isStopped = stop_.stop_requested();
    return report_;
  }

 private:
  /// Fails where the folder cannot be listed, which is no end: a network disk may come back.
  Result<void> look() {
    const auto places = scanCheckpoints(options_.folder);
    if (!places) {
      if (!options_.once) sayOnce("folder", {.text = places.error().message});
      return fail(places.error());
    }
    said_.erase("folder");
    forgetAllBut(*places);
    for (const CheckpointPlace& place : *places) {
      if (stop_.stop_requested()) return {};
      consider(place);
    }
    if (!isSettled_) dropOptimizers();  // what a watcher that was killed left
    if (!report_.isSent) send();
    warnOfSpace();
    return {};
  }

  /// What is not there any more needs no memory; one of its name may be another.
  void forgetAllBut(const std::vector<CheckpointPlace>& places) {
    std::set<std::string> names;
    for (const CheckpointPlace& place : places) names.insert(place.path.string());
    for (auto* const seen : {&settled_, &seen_}) {
      std::erase_if(*seen, [&](const auto& one) { return !names.contains(one.first); });
    }
    std::erase_if(failed_, [&](const auto& one) { return !names.contains(one.first); });
    std::erase_if(said_, [&](const auto& one) {
      return one.first.starts_with(kOfPlace) && !names.contains(one.first.substr(kOfPlace.size()));
    });
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
    const auto state = tools_.check(place.path);
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
    take(place);
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
      const auto taken = stepByTag(version);
      return taken && *taken < *step && *step - *taken < options_.every;
    });
  }

  void take(const CheckpointPlace& place) {
    const auto done = store(place);
    if (!done) {
      // A trainer that deletes it is no news, nor is the end.
      const ErrorCode code = done.error().code;
      std::error_code status;
      const bool isGone = code == ErrorCode::NotFound && !fs::exists(place.path, status);
      if (!isGone && code != ErrorCode::Cancelled) pass(place, done.error());
      return;
    }
    settled_[place.path.string()] = place.stamp;
    said_.erase(kOfPlace + place.path.string());
    ++(done->wasTaken ? report_.known : report_.taken);
    if (done->wasTaken) return;
    originalBytes_ = done->added.version.originalBytes;
    storedBytes_ = done->added.version.storedBytes;
    say({.kind = WatchEvent::Kind::Taken, .path = place.path, .snapshot = &*done});
    dropOptimizers();
    send();
  }

  void dropOptimizers() {
    isSettled_ = true;
    if (!options_.keepOptimizer || !store_.catalog().newest(run_).value_or(std::nullopt)) return;
    const auto done = dropOptimizer(store_,
                                    {.run = run_,
                                     .keepLast = *options_.keepOptimizer,
                                     .known = withOptimizer_,
                                     .device = snapshot_.add.device},
                                    stop_, progress_);
    if (!done) {
      isSettled_ = false;
      if (done.error().code == ErrorCode::Cancelled) return;
      sayOnce("optimizer",
              {.text = "older snapshots keep their optimizer: " + done.error().message});
      return;
    }
    said_.erase("optimizer");
    withOptimizer_.insert(done->passed.begin(), done->passed.end());
    for (const auto& one : done->dropped) say({.kind = WatchEvent::Kind::Dropped, .dropped = &one});
    for (const auto& one : done->kept) {
      sayOnce("optimizer of " + one.label,
              {.text = one.label + ": keeps its optimizer: " + one.why});
    }
  }

  Result<SnapshotReport> store(const CheckpointPlace& place) {
    STRATA_TRY(const auto staged, StagedCheckpoint::make(place.path, spare_, stop_));
    STRATA_TRY(const auto model, openStaged(staged, tools_.open));
    // What was linked and hashed is what counts: the trainer may have gone on since.
    STRATA_TRY(const CheckpointState state, tools_.check(staged.path()));
    if (!state.isFinished()) {
      return fail(ErrorCode::Unsupported, "is not finished: " + state.unfinished);
    }
    STRATA_TRY(checkStateFiles(model->description()));
    return storeSnapshot(store_, *model, state, place.path, snapshot_, stop_, progress_);
  }

  /// A folder that is half deleted, or that lacks a rank, may be whole by all that it says itself.
  Result<void> checkStateFiles(const ModelDescription& model) const {
    STRATA_TRY(const auto newest, store_.catalog().newest(run_));
    if (!newest || !isSnapshot(*newest)) return {};
    std::set<std::string> wanted = stateFilesOf(store_, *newest);
    for (const ModelFile& file : model.files) wanted.erase(file.path);
    if (wanted.empty()) return {};
    return fail(ErrorCode::Unsupported,
                fmt::format("lacks {}, which {} has; \"strata snapshot\" takes it all the same",
                            *wanted.begin(), newest->label()));
  }

  void pass(const CheckpointPlace& place, const Error& why) {
    const std::string name = place.path.string();
    if (mayPass(why.code)) {
      failed_[name] = {place.stamp, Clock::now()};
    } else {
      settled_[name] = place.stamp;
    }
    const bool isNews =
        sayOnce(kOfPlace + name,
                {.kind = WatchEvent::Kind::Passed, .path = place.path, .text = why.message});
    if (isNews) ++report_.passed;
  }

  void send() {
    if (!calls_.onTaken) return;
    const auto sent = calls_.onTaken();
    report_.isSent = sent.has_value();
    if (sent) {
      said_.erase("send");
    } else if (sent.error().code != ErrorCode::Cancelled) {
      sayOnce("send", {.text = "not pushed: " + sent.error().message});
    }
  }

  /// Before the next checkpoint, or what is stored of it, does not fit any more.
  void warnOfSpace() {
    constexpr std::uint64_t kAhead = 2;
    if (originalBytes_ == 0) return;
    warnOfSpaceAt("space of the trainer", options_.folder, kAhead * originalBytes_);
    warnOfSpaceAt("space of the store", store_.folder(), kAhead * storedBytes_ + kLeastFree);
  }

  void warnOfSpaceAt(const std::string& key, const fs::path& folder, std::uint64_t wanted) {
    const auto free = freeBytes(folder);
    if (!free) return;
    if (*free >= wanted) {
      said_.erase(key);
      return;
    }
    const std::string text =
        fmt::format("the disk is nearly full: {} free, and the last checkpoint has {}, {} stored",
                    wordBytes(*free), wordBytes(originalBytes_), wordBytes(storedBytes_));
    if (said_.contains(key)) return;
    sayOnce(key, {.path = folder, .text = text});
  }

  /// False if that was said already.
  bool sayOnce(const std::string& key, const WatchEvent& event) {
    const auto [said, isNew] = said_.try_emplace(key, event.text);
    if (!isNew && said->second == event.text) return false;
    said->second = event.text;
    say(event);
    return true;
  }

  void say(const WatchEvent& event) const {
    if (calls_.onEvent) calls_.onEvent(event);
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
  inline static const std::string kOfPlace = "at ";
  static constexpr std::uint64_t kLeastFree = 32'000'000;

  Store& store_;
  const CheckpointTools& tools_;
  const WatchOptions& options_;
  const WatchCalls& calls_;
  std::stop_token stop_;
  const ProgressSink& progress_;
  SnapshotOptions snapshot_;
  std::string run_;
  fs::path spare_;  ///< for copies; its lock makes this the only watcher
  std::map<std::string, std::string> settled_;  ///< stamps of what needs no other look, by path
  std::map<std::string, std::string> seen_;     ///< stamps of the look before
  std::map<std::string, Failure> failed_;       ///< what may succeed although nothing of it changed
  std::map<std::string, std::string> said_;     ///< what was said last, by what it is about
  std::uint64_t originalBytes_ = 0;             ///< of the checkpoint that was taken last
  std::uint64_t storedBytes_ = 0;
  std::set<std::uint32_t> withOptimizer_;  ///< older snapshots that are not asked again
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
