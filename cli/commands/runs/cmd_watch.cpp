#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

#include "cli/checkpoint_tools.h"
#include "cli/transfer_run.h"
#include "cli/views/role_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/config/byte_count.h"
#include "core/ops/runs/watch_folder.h"
#include "core/store/run_tags.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

/// The training comes first: for the processor and for the disk. Threads made later follow. A
/// system that refuses is no reason not to watch.
void giveWay() {
  constexpr int kLeastWanting = 19;
  constexpr int kOfProcess = 1;           // IOPRIO_WHO_PROCESS
  constexpr int kLowest = (2 << 13) | 7;  // best effort, the last level
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLeastWanting));
  static_cast<void>(::syscall(SYS_ioprio_set, kOfProcess, 0, kLowest));
}

class WatchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "watch DIR --run RUN [options]",
            .summary = "Store each finished checkpoint that a trainer writes into a folder.",
            .examples = {"watch out --run sst2-run", "watch out --run sst2-run --base minilm",
                         "watch out --run sst2-run --every 1000 --push hub",
                         "watch out --run sst2-run --once"},
            .details =
                "Runs until Ctrl-C or SIGTERM, at the lowest priority. The files of a checkpoint "
                "get names of ours (hard links) before they are read, so the trainer may delete "
                "it. What is unfinished or changes meanwhile is said once and tried again when it "
                "looks different. After a restart it takes in what came while it was away, and "
                "nothing twice. A run has one watcher at a time."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "DIR",
                   .target = &folder_,
                   .help = "the folder that the trainer writes its checkpoints into",
                   .completes = Completes::Folders,
                   .isRequired = true});
    arguments.add({.spelling = "--run",
                   .target = &run_,
                   .value = "RUN",
                   .help = "the name of the run",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "--every",
                   .target = &every_,
                   .value = "N",
                   .help = "pass over what is less than N steps after a stored one"});
    arguments.add({.spelling = "--keep-optimizer",
                   .target = &watch_.keepOptimizer,
                   .value = "N",
                   .help = "leave the optimizer out of all snapshots but the newest N"});
    arguments.add({.spelling = "--memory-tier",
                   .target = &memoryTier_,
                   .value = "SIZE",
                   .help = "copy new checkpoints to memory first, up to so much of it: 8GB"});
    arguments.add({.spelling = "--interval",
                   .target = &interval_,
                   .value = "SECONDS",
                   .help = "between two looks at the folder (5)"});
    arguments.add({.spelling = "--once",
                   .target = &watch_.once,
                   .help = "take in what is there, and end; exit 3 if something is left to do"});
    wish_.declare(arguments);
  }

  Outcome run(Context& context) override {
    giveWay();
    STRATA_ATTEMPT(watch_.snapshot, wish_.options(context, run_));
    if (interval_ && (*interval_ == 0 || *interval_ > kMostSeconds)) {
      return usage(fmt::format("--interval: is {}, expected 1 to {}", *interval_, kMostSeconds));
    }
    watch_.memoryFolder = context.config().text("watch.memory");
    if (memoryTier_) {
      const auto bytes = parseByteCount(*memoryTier_);
      if (!bytes || *bytes == 0) {
        return usage(fmt::format("--memory-tier: is \"{}\", expected a size as 8GB", *memoryTier_));
      }
      watch_.memoryTierBytes = *bytes;
    }
    std::error_code status;
    const bool isThere = std::filesystem::is_directory(folder_, status);
    if (!isThere && (watch_.once || std::filesystem::exists(folder_, status))) {
      return problem(ErrorCode::NotFound, folder_ + ": no such folder");
    }
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_ATTEMPT(const bool isUsable, checkNames(context, *store));
    warnOfNoRun(context.output(), *store, run_);
    static_cast<void>(isUsable);
    store->setLockWait({std::chrono::hours(24 * 365), [&](const std::string& owner) {
                          context.output().note(printable("Waiting: locked by " + owner));
                        }});
    watch_.snapshot.fetch = awaitedFetcher(context, *store);
    watch_.folder = folder_;
    watch_.every = every_.value_or(0);
    if (interval_) watch_.interval = std::chrono::seconds(*interval_);
    const std::stop_token stop = context.stopToken();
    std::mutex speaking;  // guards nothing but the order of lines
    WatchCalls calls{.onEvent = [&](const WatchEvent& event) {
      const std::scoped_lock lock(speaking);
      say(context.output(), event);
    }};
    if (wish_.remote()) calls.onTaken = [&] { return push(context, *store); };
    if (!watch_.once) {
      context.output().note(printable(
          fmt::format("Watching {} for checkpoints of {}; Ctrl-C ends it.", folder_, run_)));
    }
    auto watched = watchFolder(*store, checkpointTools(), watch_, calls, stop, {});
    if (!watched) return problem(std::move(watched).error());
    return finish(context.output(), *watched);
  }

 private:
  static constexpr std::uint64_t kMostSeconds = 86'400;

  /// What is misspelt is said at once, and not at each checkpoint.
  Attempt<bool> checkNames(Context& context, const Store& store) const {
    const AddOptions& add = watch_.snapshot.add;
    if (add.baseChoice == BaseChoice::Reference) {
      auto base = store.resolve(add.base);
      if (!base) {
        return problem(std::move(base).error().within("--base"), ErrorCode::NotFound,
                       "strata list --versions");
      }
    }
    if (wish_.remote()) {
      STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, *wish_.remote()));
    }
    return true;
  }

  /// All of the run: what an earlier push did not send goes, too.
  Result<void> push(Context& context, Store& store) const {
    auto remote = openRemote(context, *wish_.remote());
    if (!remote) return fail(std::move(remote).error().error);
    const Outcome pushed = runPush(context, store, *remote, wish_.push({run_ + ":v*"}));
    if (!pushed) return fail(pushed.error().error);
    if (*pushed == ExitCode::Done) return {};
    return fail(ErrorCode::Network, "some of it did not go");
  }

  static void say(Output& output, const WatchEvent& event) {
    const std::string path = event.path.string();
    if (event.kind == WatchEvent::Kind::Taken) {
      sayTaken(output, path, *event.snapshot);
    } else if (event.kind == WatchEvent::Kind::Mended) {
      sayMended(output, path, *event.snapshot);
    } else if (event.kind == WatchEvent::Kind::Skipped) {
      output.event("skipped", {{"path", path},
                               {"step", orNull(event.snapshot->state.step)},
                               {"drift", orNull(event.snapshot->drift)},
                               {"near", event.snapshot->nearTo}});
      output.line(printable("Skipped  " + path + "  " + tooNearText(*event.snapshot)));
    } else if (event.kind == WatchEvent::Kind::Twin) {
      const std::string label = event.snapshot->added.version.label();
      const bool isOfTensors = event.snapshot->isTwinOfTensors;
      output.event("twin", {{"path", path},
                            {"version", label},
                            {"name", event.snapshot->twin},
                            {"tensors_alone", isOfTensors}});
      output.line(printable(fmt::format("Not stored again  {}  {} {}, as {}", path, label,
                                        isOfTensors ? "was made of its tensors" : "has its bytes",
                                        event.snapshot->twin)));
    } else if (event.kind == WatchEvent::Kind::Copied) {
      output.event("in_memory", {{"path", path}});
      output.line(printable("In memory  " + path));
    } else if (event.kind == WatchEvent::Kind::Dropped) {
      sayDropped(output, *event.dropped);
    } else {
      const bool isPassed = event.kind == WatchEvent::Kind::Passed;
      output.event(isPassed ? "passed" : "warning",
                   {{"path", orNull(path)}, {"reason", event.text}});
      output.warning(printable(path.empty() ? event.text : path + ": " + event.text));
    }
    std::fflush(stdout);
  }

  static void sayTaken(Output& output, const std::string& path, const SnapshotReport& snapshot) {
    const AddReport& added = snapshot.added;
    const VersionEntry& version = added.version;
    output.event("snapshot", {{"path", path},
                              {"step", orNull(snapshot.state.step)},
                              {"version", toJson(version)},
                              {"relative_error", orNull(added.relativeError)},
                              {"role_errors", toJson(added.roleErrors)},
                              {"doubts", snapshot.doubts},
                              {"seconds", added.seconds}});
    output.essential(version.label());
    const std::string step =
        snapshot.state.step ? fmt::format("step {}  ", *snapshot.state.step) : "";
    const std::string loss =
        version.lossy ? fmt::format("  lossy, {}", fmt::join(lossTexts(added), ", ")) : "";
    output.line(printable(fmt::format("Stored {}  {}{}{}  from {}", version.label(), step,
                                      sizeText(version), loss, path)));
    sayDoubts(output, snapshot);
    printDoubts(output, added);
  }

  /// What a lossy one lost of its weights, unless they are exact, and of the moments.
  static std::vector<std::string> lossTexts(const AddReport& added) {
    std::vector<std::string> texts = roleErrorTexts(added.roleErrors);
    const double error = added.relativeError.value_or(0);
    if (error == 0) {
      texts.insert(texts.begin(), "weights exact");
    } else {
      texts.insert(texts.begin(), fmt::format("error {} of the {}", wordError(error),
                                              added.version.isBase() ? "weights" : "difference"));
    }
    return texts;
  }

  static void sayMended(Output& output, const std::string& path, const SnapshotReport& snapshot) {
    const AddReport& added = snapshot.added;
    output.event("mended", {{"path", path},
                            {"version", added.version.label()},
                            {"repaired", added.repaired},
                            {"completed", added.completed}});
    output.essential(added.version.label());
    const auto line = [&](std::string_view word, const std::vector<std::string>& labels) {
      if (labels.empty()) return;
      output.line(printable(fmt::format("{} {}  from {}", word, fmt::join(labels, ", "), path)));
    };
    line("Repaired", added.repaired);
    line("Completed", added.completed);
  }

  static void sayDropped(Output& output, const DropOptimizerReport::Dropped& one) {
    output.event(
        "optimizer",
        {{"ref", one.former.label()}, {"now", one.now.label()}, {"state_bytes", one.stateBytes}});
    output.line(fmt::format("Left the optimizer out of {}, {}, which is {} now", one.former.label(),
                            wordBytes(one.stateBytes), one.now.label()));
  }

  Outcome finish(Output& output, const WatchReport& report) const {
    output.event("result", {{"taken", report.taken},
                            {"known", report.known},
                            {"mended", report.mended},
                            {"passed", report.passed},
                            {"skipped", report.skipped},
                            {"in_memory", report.inMemory},
                            {"sent", report.isSent},
                            {"optimizers_left_out",
                             watch_.keepOptimizer ? Json(report.isLeftOut) : Json(nullptr)},
                            {"stopped", report.isStopped}});
    output.note(
        fmt::format("{} stored{}{}{}", wordCount(report.taken, "snapshot"),
                    report.known == 0   ? ""
                    : report.known == 1 ? ", 1 was stored before"
                                        : fmt::format(", {} were stored before", report.known),
                    report.skipped > 0 ? fmt::format(", {} skipped", report.skipped) : "",
                    report.passed > 0 ? fmt::format(", {} passed over", report.passed) : ""));
    const bool isAllIn = report.passed == 0 && report.isSent && report.inMemory == 0;
    // Who is told to stop may have been at work on the optimizers.
    const bool isWhole = isAllIn && (report.isLeftOut || !watch_.once);
    return isWhole ? ExitCode::Done : ExitCode::Partly;
  }

  std::string folder_;
  std::string run_;
  std::optional<std::uint64_t> every_;
  std::optional<std::uint64_t> interval_;
  std::optional<std::string> memoryTier_;
  SnapshotWish wish_;
  WatchOptions watch_;
};

}  // namespace

std::unique_ptr<Command> makeWatch() { return std::make_unique<WatchCommand>(); }

}  // namespace strata::cli
