#include "core/ops/runs/resume_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/io/disk_model_sink.h"
#include "core/io/os_error.h"
#include "core/io/owned_folder.h"
#include "core/io/special_file.h"
#include "core/io/temp_file.h"
#include "core/ops/runs/detail/snapshot_store.h"
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
fs::path placeFor(const ResumeOptions& options, const VersionEntry& version) {
  const fs::path& target = options.target;
  std::error_code status;
  const bool isInto = target.empty() || (isOneFile(version) && fs::is_directory(target, status));
  if (!isInto) return target.has_filename() ? target : target.parent_path();
  if (isOneFile(version)) return {};
  if (const auto step = stepByTag(version)) return fmt::format("checkpoint-{}", *step);
  std::string name = fmt::format("{}-v{}", version.name, version.number);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

/// Those that could be meant, the newest first.
Result<std::vector<VersionEntry>> candidates(const Store& store, const ResumeOptions& options) {
  STRATA_TRY(const VersionEntry newest, store.resolve(options.run));
  STRATA_TRY(auto versions, store.catalog().versionsOf(newest.name));
  sortByAge(versions);
  std::reverse(versions.begin(), versions.end());
  if (!options.step) return versions;
  std::vector<std::string> steps;
  for (const VersionEntry& one : versions) {
    if (const auto step = stepByTag(one)) steps.push_back(std::to_string(*step));
  }
  std::erase_if(versions, [&](const VersionEntry& one) {
    const auto& tags = one.tags;
    return std::find(tags.begin(), tags.end(), stepTag(*options.step)) == tags.end();
  });
  if (!versions.empty()) return versions;
  constexpr std::size_t kMostNamed = 10;
  const std::size_t more = steps.size() - std::min(steps.size(), kMostNamed);
  steps.resize(steps.size() - more);
  return fail(ErrorCode::NotFound,
              fmt::format("{}: has no snapshot of step {}; it has {}{}", newest.name, *options.step,
                          steps.empty() ? "none with a step"
                                        : "steps " + fmt::format("{}", fmt::join(steps, ", ")),
                          more > 0 ? fmt::format(" and {} more", more) : ""));
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

class Resumption {
 public:
  Resumption(const Store& store, const CheckpointTools& tools, const ResumeOptions& options)
      : store_(store), tools_(tools), options_(options) {}

  Result<ResumeReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const auto found, candidates(store_, options_));
    for (const VersionEntry& version : found) {
      const Result<bool> isDone = tryOne(version, stop, progress);
      if (isDone && *isDone) return std::move(report_);
      if (!isDone && !isOfSnapshot(isDone.error().code)) return fail(isDone.error());
      if (!isDone) report_.passed.push_back({version.label(), isDone.error().message});
    }
    const auto& passed = report_.passed;
    return fail(ErrorCode::NotFound,
                fmt::format("{}: has no complete snapshot{}{}", options_.run,
                            passed.empty() ? "" : "; " + passed.front().label + ": ",
                            passed.empty() ? "" : passed.front().why));
  }

 private:
  /// False where what comes out is no finished checkpoint.
  Result<bool> tryOne(const VersionEntry& version, const std::stop_token& stop,
                      const ProgressSink& progress) {
    if (isWeightsOnly(version)) {
      report_.passed.push_back(
          {version.label(),
           fmt::format("prune left its optimizer out; \"strata restore {} -o DIR\" "
                       "gives its weights",
                       version.label())});
      return false;
    }
    const bool isFile = isOneFile(version);
    STRATA_TRY(fs::path to, checkedPlace(version));
    const fs::path around = to.empty() ? (options_.target.empty() ? "." : options_.target)
                                       : (isFile ? folderAround(to) : DiskModelSink::workPlace(to));
    OwnedFolder::removeDead(around, kPrefix);
    STRATA_TRY(const OwnedFolder scratch, OwnedFolder::make(around, kPrefix));
    // A name that says nothing: what the files say decides whether it is whole.
    const fs::path into = isFile ? scratch.path() : scratch.path() / "restored";
    std::error_code status;
    if (version.fileCount == 1) fs::create_directory(into, status);
    STRATA_TRY(report_.restored, restoreVersion(store_,
                                                {.reference = version.label(),
                                                 .target = into,
                                                 .verify = options_.verify,
                                                 .device = options_.device},
                                                stop, progress));
    const fs::path restored = isFile ? report_.restored.files.front() : into;
    STRATA_TRY(report_.state, tools_.check(restored));
    if (!report_.state.isFinished()) {
      report_.passed.push_back({version.label(), report_.state.unfinished});
      return false;
    }
    if (!report_.state.step) report_.state.step = stepByTag(version);
    if (to.empty()) to = around / restored.filename();
    if (isFile) {
      STRATA_TRY(placeFile(restored, to, options_.force));
    } else {
      STRATA_TRY(placeFolder(into, report_.restored.files, to, options_.force));
    }
    const fs::path asGiven = placeFor(options_, version);
    nameFiles(restored, asGiven.empty() ? to : asGiven);
    return true;
  }

  /// As placeFor(); a link to a folder stays one.
  Result<fs::path> checkedPlace(const VersionEntry& version) const {
    fs::path to = placeFor(options_, version);
    const fs::path& target = options_.target;
    const fs::path around =
        to.empty() ? (target.empty() ? fs::path(".") : target) : folderAround(to);
    std::error_code status;
    if (!fs::is_directory(around, status)) {
      return fail(ErrorCode::InvalidArgument, around.string() + ": no such folder");
    }
    STRATA_TRY(refuseInsideStore(to.empty() ? around / "checkpoint" : to));
    if (to.empty()) return to;
    STRATA_TRY(checkPlace(to, isOneFile(version), options_.force));
    std::error_code problem;
    if (fs::is_directory(to, status)) to = fs::canonical(to, problem);
    if (problem) return fail(osError(placeFor(options_, version), "look at", problem.value()));
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
  ResumeReport report_;
};

}  // namespace

Result<ResumeReport> resumeRun(const Store& store, const CheckpointTools& tools,
                               const ResumeOptions& options, std::stop_token stop,
                               const ProgressSink& progress) {
  return Resumption(store, tools, options).run(stop, progress);
}

}  // namespace strata
