#include "core/ops/runs/resume_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/io/free_space.h"
#include "core/io/models/disk_model_sink.h"
#include "core/io/os_error.h"
#include "core/io/owned/owned_folder.h"
#include "core/io/special_file.h"
#include "core/io/temp_file.h"
#include "core/ops/runs/detail/memory_tier.h"
#include "core/ops/runs/detail/resume_choice.h"
#include "core/ops/runs/detail/snapshot_store.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"
#include "core/store/store_location.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".strata-resume";

bool isTaken(const fs::path& path) {
  std::error_code status;
  return fs::exists(fs::symlink_status(path, status));
}

fs::path folderAround(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool isOneFile(const VersionEntry& version) {
  return version.fileCount == 1 && version.format != "folder";
}

/// Where it is to be, its name included; empty where only its file says that.
fs::path placeFor(const ResumeOptions& options, const RunVersion& snapshot) {
  const VersionEntry& version = snapshot.version;
  const fs::path& target = options.target;
  std::error_code status;
  const bool isInto = target.empty() || (isOneFile(version) && fs::is_directory(target, status));
  if (!isInto) return target.has_filename() ? target : target.parent_path();
  if (isOneFile(version)) return {};
  // Trainers of transformers find their checkpoints by that name.
  const bool isNamedBySteps = snapshot.hasTrainerState || snapshot.checkpoint.empty();
  if (snapshot.step && isNamedBySteps) return fmt::format("checkpoint-{}", *snapshot.step);
  if (!snapshot.checkpoint.empty()) return snapshot.checkpoint;
  std::string name = fmt::format("{}-v{}", version.name, version.number);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

/// A snapshot of several files never takes the place of a file, nor one of one file that of a
/// folder: nothing that is lost then could be had back.
Result<void> checkPlace(const fs::path& to, bool isFile, bool force) {
  std::error_code status;
  const bool isFolder = fs::is_directory(to, status);
  if (!isTaken(to)) return {};
  if (!force) return fail(ErrorCode::InvalidArgument, to.string() + ": already exists");
  if (isFolder == isFile) {
    return fail(ErrorCode::InvalidArgument,
                to.string() + (isFile ? ": is a folder, expected a file"
                                      : ": is a file, but the snapshot needs a folder"));
  }
  return isFile ? refuseSpecial(to) : Result<void>();
}

Result<void> placeFile(const fs::path& from, const fs::path& to, bool force) {
  STRATA_TRY(checkPlace(to, true, force));
  if (!force) {
    STRATA_TRY(renameToNew(from, to));
  } else if (::rename(from.c_str(), to.c_str()) != 0) {
    return fail(osError(to, "rename to", errno));
  }
  return syncFolder(folderAround(to));
}

/// As `restore --force` does: what is no file of the snapshot stays.
Result<void> placeFolder(const fs::path& from, const std::vector<fs::path>& files,
                         const fs::path& to, bool force) {
  STRATA_TRY(checkPlace(to, false, force));
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    names.push_back(file.lexically_relative(from).generic_string());
    STRATA_TRY(refuseInsideStore(to / names.back()));
  }
  return DiskModelSink::placeWritten(from, names, to, force);
}

Result<void> syncFile(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool isSynced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!isSynced) return fail(osError(file, "sync", reason));
  return {};
}

/// The files of a copy, all on the disk.
Result<std::vector<fs::path>> syncedFiles(const fs::path& copied) {
  std::vector<fs::path> files;
  std::error_code problem;
  if (!fs::is_directory(copied, problem)) files.push_back(copied);
  if (files.empty()) {
    fs::recursive_directory_iterator at(copied, problem);
    for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
      if (at->is_regular_file(problem)) files.push_back(at->path());
    }
  }
  if (problem) return fail(osError(copied, "list", problem.value()));
  for (const fs::path& file : files) STRATA_TRY(syncFile(file));
  return files;
}

/// Fails with NotFound where there are none.
Result<std::vector<RunVersion>> snapshotsOf(const Store& store, const std::string& name) {
  STRATA_TRY(auto snapshots, runSnapshots(store, name));
  if (!snapshots.empty()) return snapshots;
  return fail(ErrorCode::NotFound, fmt::format("{}: has no snapshots of a training", name));
}

bool isWeightsAmongMore(const RunVersion& one, const std::vector<RunVersion>& found) {
  return !one.hasTraining && std::ranges::any_of(found, &RunVersion::hasTraining);
}

class Resumption {
 public:
  Resumption(const Store& store, const CheckpointTools& tools, const ResumeOptions& options)
      : store_(store), tools_(tools), options_(options) {}

  Result<ResumeReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(isOfOne_, namesOneVersion(options_.run));
    if (!isOfOne_) STRATA_TRY(findInMemory());
    const auto candidates = this->candidates();
    const bool isNone = !candidates && candidates.error().code == ErrorCode::NotFound;
    if (!candidates && (!isNone || inMemory_.empty())) return fail(candidates.error());
    const auto found = candidates.value_or(std::vector<RunVersion>{});
    for (const RunVersion& snapshot : found) {
      STRATA_TRY(const bool isNewerInMemory, tryMemory(snapshot.step.value_or(UINT64_MAX), stop));
      if (isNewerInMemory) return std::move(report_);
      if (isGone_) return again(stop, progress);
      if (isWeightsOnly(snapshot.version)) {
        pass(snapshot, fmt::format("prune left its optimizer out; \"strata restore {} -o DIR\" "
                                   "gives its weights",
                                   snapshot.version.label()));
        continue;
      }
      if (isWeightsAmongMore(snapshot, found)) {
        pass(snapshot, "holds weights alone, and others of the run hold the training, too");
        continue;
      }
      const Result<bool> isDone = tryOne(snapshot, stop, progress);
      if (isDone && *isDone) {
        report_.snapshot = snapshot;
        report_.beside = beside(snapshot);
        return std::move(report_);
      }
      if (isDone) continue;
      const ErrorCode code = isDone.error().code;
      if (!isOfSnapshot(code)) return fail(isDone.error());
      isDamaged_ = isDamaged_ || code != ErrorCode::NotFound;
      pass(snapshot, isDone.error().message);
    }
    STRATA_TRY(const bool isInMemory, tryMemory(0, stop));
    if (isInMemory) return std::move(report_);
    if (isGone_) return again(stop, progress);
    if (isNone && !isDamaged_) return fail(candidates.error());
    return fail(noneComplete(stop, progress));
  }

 private:
  struct InMemory {
    MemoryTier::Copy copy;
    std::optional<std::uint64_t> step;
    CheckpointKind kind;
    bool isAside;  ///< it is no use, and lies there until the user deletes it

    /// One without a step is newer than what is stored.
    std::uint64_t order() const { return step.value_or(UINT64_MAX); }
  };

  /// What memory had when this began lies in the store now.
  Result<ResumeReport> again(const std::stop_token& stop, const ProgressSink& progress) {
    isGone_ = false;
    isDamaged_ = false;
    inMemory_.clear();
    report_ = {};
    return run(stop, progress);
  }

  /// Of the run, or of the step that is asked for. Those that were set aside are named alone.
  Result<void> findInMemory() {
    STRATA_TRY(const Reference reference, parseReference(options_.run));
    name_ = reference.name;
    if (!options_.memoryFolder) return {};
    const MemoryTier tier(*options_.memoryFolder, store_.folder(), name_, 0);
    for (const auto& [copies, isAside] :
         {std::pair(tier.waiting(), false), std::pair(tier.aside(), true)}) {
      for (const MemoryTier::Copy& copy : copies) {
        const auto state = tools_.check(copy.place.path);
        const auto step = state && state->step ? state->step : copy.place.step;
        if (options_.step && step != options_.step) continue;
        inMemory_.push_back({copy, step, state ? state->kind : CheckpointKind::Plain, isAside});
      }
    }
    // Of one step the last copy is the newest.
    std::ranges::stable_sort(inMemory_, {}, &InMemory::order);
    return {};
  }

  /// Tries those of this step and later ones, the newest first; each once.
  Result<bool> tryMemory(std::uint64_t step, const std::stop_token& stop) {
    while (!inMemory_.empty() && inMemory_.back().order() >= step) {
      const InMemory one = std::move(inMemory_.back());
      inMemory_.pop_back();
      std::error_code status;
      const auto done =
          one.isAside ? Result<void>(fail(ErrorCode::CorruptData, "is damaged or was refused"))
                      : copyFrom(one, stop);
      if (done) return true;
      isGone_ = !fs::exists(one.copy.folder, status);
      if (isGone_) return false;
      const ErrorCode code = done.error().code;
      if (code != ErrorCode::CorruptData && code != ErrorCode::NotFound) return fail(done.error());
      isDamaged_ = true;
      report_.passed.push_back({one.copy.place.path.string(), done.error().message});
    }
    return false;
  }

  /// Fails with CorruptData where it is not what was copied to memory, or no finished checkpoint.
  Result<void> copyFrom(const InMemory& one, const std::stop_token& stop) {
    const fs::path& from = one.copy.place.path;
    std::error_code status;
    const bool isFile = !fs::is_directory(from, status);
    RunVersion like;  // as far as the place hangs on it
    like.version.fileCount = isFile ? 1 : 2;
    like.version.format = isFile ? "" : "folder";
    like.step = one.step;
    like.hasTrainerState = one.kind == CheckpointKind::Transformers;
    like.checkpoint = from.filename().string();
    STRATA_TRY(fs::path to, checkedPlace(like));
    const fs::path around = aroundOf(to, isFile);
    OwnedFolder::removeDead(around, kPrefix);
    STRATA_TRY(const OwnedFolder scratch, OwnedFolder::make(around, kPrefix));
    STRATA_TRY(const auto listed, MemoryTier::listed(one.copy));
    STRATA_TRY(checkFreeSpace(around, listed.byteCount()));
    const fs::path copied = scratch.path() / (isFile ? from.filename() : fs::path("restored"));
    STRATA_TRY(const auto written, CopiedFiles::copy(from, copied, stop));
    if (const auto difference = listed.differenceTo(written)) {
      return fail(ErrorCode::CorruptData, "its copy in memory is damaged: " + *difference);
    }
    STRATA_TRY(const auto state, tools_.check(copied));
    if (!state.isFinished()) return fail(ErrorCode::CorruptData, state.unfinished);
    report_.restored = {};
    STRATA_TRY(report_.restored.files, syncedFiles(copied));
    report_.restored.writtenBytes = listed.byteCount();
    report_.state = state;
    if (one.step) report_.state.step = one.step;
    report_.isFromMemory = true;
    return place(copied, to, around, like);
  }

  /// Those that could be meant, the newest first.
  Result<std::vector<RunVersion>> candidates() {
    STRATA_TRY(const VersionEntry named, store_.resolve(options_.run));
    name_ = named.name;
    STRATA_TRY(snapshots_, snapshotsOf(store_, name_));
    const auto only = isOfOne_ ? std::optional(named) : std::nullopt;
    return snapshotsMeant(snapshots_, only, options_.step);
  }

  /// Who names a version means that one, and who names a step none of another step.
  std::vector<RunVersion> beside(const RunVersion& chosen) const {
    if (isOfOne_) return {};
    auto others = besideChosen(snapshots_, chosen.version);
    if (options_.step) {
      std::erase_if(others, [&](const RunVersion& one) { return one.step != options_.step; });
    }
    return others;
  }

  void pass(const RunVersion& snapshot, std::string why) {
    report_.passed.push_back({snapshot.version.label(), std::move(why)});
  }

  /// Why no candidate could be had. Of damage: which other snapshots are sound.
  Error noneComplete(const std::stop_token& stop, const ProgressSink& progress) const {
    const auto& passed = report_.passed;
    std::string text = isOfOne_        ? options_.run + ": is not complete"
                       : options_.step ? fmt::format("{}: no snapshot of step {} is complete",
                                                     name_, *options_.step)
                                       : fmt::format("{}: has no complete snapshot", name_);
    if (!passed.empty()) text += fmt::format("; {}: {}", passed.front().label, passed.front().why);
    if (!isDamaged_) return {ErrorCode::NotFound, std::move(text)};
    if (!options_.step && !isOfOne_) return {ErrorCode::CorruptData, std::move(text)};
    LineageCheck check(store_);
    std::vector<RunVersion> sound;
    for (const RunVersion& one : snapshots_) {
      const bool wasTried = std::ranges::any_of(
          passed, [&](const auto& tried) { return tried.label == one.version.label(); });
      if (wasTried) continue;
      const auto isSound = check.isSound(one.version, stop, progress);
      if (isSound && *isSound) sound.push_back(one);
    }
    text += sound.empty() ? "; no other snapshot of the run is sound"
                          : "; sound: " + listedSnapshots(sound);
    return {ErrorCode::CorruptData, std::move(text)};
  }

  /// False where what comes out is no finished checkpoint.
  Result<bool> tryOne(const RunVersion& snapshot, const std::stop_token& stop,
                      const ProgressSink& progress) {
    const VersionEntry& version = snapshot.version;
    const bool isFile = isOneFile(version);
    STRATA_TRY(fs::path to, checkedPlace(snapshot));
    const fs::path around = aroundOf(to, isFile);
    OwnedFolder::removeDead(around, kPrefix);
    STRATA_TRY(const OwnedFolder scratch, OwnedFolder::make(around, kPrefix));
    // A name that says nothing: what the files say decides whether it is whole.
    const fs::path into = isFile ? scratch.path() : scratch.path() / "restored";
    std::error_code status;
    if (version.fileCount == 1) fs::create_directory(into, status);
    if (options_.fetch) STRATA_TRY(options_.fetch(version));
    STRATA_TRY(report_.restored, restoreVersion(store_,
                                                {.reference = version.label(),
                                                 .target = into,
                                                 .verify = options_.verify,
                                                 .device = options_.device},
                                                stop, progress));
    const fs::path restored = isFile ? report_.restored.files.front() : into;
    STRATA_TRY(report_.state, tools_.check(restored));
    if (!report_.state.isFinished()) {
      pass(snapshot, report_.state.unfinished);
      return false;
    }
    if (!report_.state.step) report_.state.step = snapshot.step;
    STRATA_TRY(place(restored, to, around, snapshot));
    return true;
  }

  /// Where what is restored is looked at, before it gets its name.
  fs::path aroundOf(const fs::path& to, bool isFile) const {
    if (to.empty()) return options_.target.empty() ? fs::path(".") : options_.target;
    return isFile ? folderAround(to) : DiskModelSink::workPlace(to);
  }

  /// Gives it its name.
  Result<void> place(const fs::path& restored, fs::path to, const fs::path& around,
                     const RunVersion& snapshot) {
    if (to.empty()) to = around / restored.filename();
    if (isOneFile(snapshot.version)) {
      STRATA_TRY(placeFile(restored, to, options_.force));
    } else {
      STRATA_TRY(placeFolder(restored, report_.restored.files, to, options_.force));
    }
    const fs::path asGiven = placeFor(options_, snapshot);
    nameFiles(restored, asGiven.empty() ? to : asGiven);
    return {};
  }

  /// As placeFor(); a link to a folder stays one.
  Result<fs::path> checkedPlace(const RunVersion& snapshot) const {
    fs::path to = placeFor(options_, snapshot);
    const fs::path& target = options_.target;
    const fs::path around =
        to.empty() ? (target.empty() ? fs::path(".") : target) : folderAround(to);
    std::error_code status;
    if (!fs::is_directory(around, status)) {
      return fail(ErrorCode::InvalidArgument, around.string() + ": no such folder");
    }
    STRATA_TRY(refuseInsideStore(to.empty() ? around / "checkpoint" : to));
    if (to.empty()) return to;
    STRATA_TRY(checkPlace(to, isOneFile(snapshot.version), options_.force));
    std::error_code problem;
    if (fs::is_directory(to, status)) to = fs::canonical(to, problem);
    if (problem) return fail(osError(placeFor(options_, snapshot), "look at", problem.value()));
    return to;
  }

  void nameFiles(const fs::path& from, const fs::path& to) {
    report_.place = to;
    for (fs::path& file : report_.restored.files) {
      const fs::path relative = file.lexically_relative(from);
      file = relative == "." ? to : to / relative;
    }
  }

  const Store& store_;
  const CheckpointTools& tools_;
  const ResumeOptions& options_;
  std::string name_;
  bool isOfOne_ = false;               ///< options_.run names one version, and no other serves
  std::vector<RunVersion> snapshots_;  ///< all of the run, the newest first
  std::vector<InMemory> inMemory_;     ///< that were not tried, the newest last
  bool isDamaged_ = false;             ///< a candidate failed for damage
  bool isGone_ = false;                ///< a copy in memory was stored while it was read
  ResumeReport report_;
};

}  // namespace

Result<std::vector<RunVersion>> snapshotsToResume(const Store& store, const std::string& run,
                                                  std::optional<std::uint64_t> step) {
  STRATA_TRY(const bool isOfOne, namesOneVersion(run));
  STRATA_TRY(const VersionEntry named, store.resolve(run));
  STRATA_TRY(const auto snapshots, snapshotsOf(store, named.name));
  const auto only = isOfOne ? std::optional(named) : std::nullopt;
  STRATA_TRY(const auto meant, snapshotsMeant(snapshots, only, step));
  std::vector<RunVersion> found;
  for (const RunVersion& one : meant) {
    if (!isWeightsOnly(one.version) && !isWeightsAmongMore(one, meant)) found.push_back(one);
  }
  if (!found.empty()) return found;
  return fail(ErrorCode::NotFound, fmt::format("{}: has no complete snapshot", run));
}

Result<ResumeReport> resumeRun(const Store& store, const CheckpointTools& tools,
                               const ResumeOptions& options, std::stop_token stop,
                               const ProgressSink& progress) {
  return Resumption(store, tools, options).run(stop, progress);
}

}  // namespace strata
