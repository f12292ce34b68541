#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/checkpoint_tools.h"
#include "cli/transfer_run.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/runs/resume_run.h"
#include "core/store/refs/reference.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class ResumeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "resume RUN [-o DIR] [--step N]",
        .summary = "Restore the newest complete snapshot of a run, for a trainer to go on from.",
        .examples = {"resume sst2-run", "resume sst2-run -o out/checkpoint-500 --force",
                     "resume sst2-run --step 500", "resume sst2-run:v3", "resume sst2-run -q"},
        .details =
            "The newest is the one of the greatest step, whenever it was stored. Complete means "
            "that "
            "it can be rebuilt, and that what comes out is a finished checkpoint. One that is "
            "damaged is passed over for the one before it, and a warning says so. Where there is "
            "none, the exit code is 5, or 6 because of damage. A reference to one version, such as "
            "RUN:v3, means that snapshot and no other. Without -o it gets its trainer's "
            "name, such as checkpoint-500, in the current folder."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "RUN",
                   .target = &options_.run,
                   .help = "the name of the run, or a reference to one snapshot of it",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "-o,--output",
                   .target = &target_,
                   .value = "DIR",
                   .help = "the folder to make; for a checkpoint of one file, that file",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--step",
                   .target = &options_.step,
                   .value = "N",
                   .help = "the snapshot of this step, not the newest"});
    arguments.add(
        {.spelling = "-f,--force", .target = &options_.force, .help = "replace what exists"});
    arguments.add({.spelling = "--verify,!--no-verify",
                   .target = &verify_,
                   .help = "compare the SHA-256 of each file, or its checksums alone "
                           "(default)"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    std::optional<Problem> unfetched;
    options_.fetch = awaitedFetcher(context, *store, &unfetched);
    options_.memoryFolder = context.config().text("watch.memory");
    options_.target = target_;
    options_.verify = verify_ == 0 ? context.config().isOn("restore.verify") : verify_ > 0;
    options_.device = context.device();
    const std::stop_token stop = context.stopToken();
    auto resumed = resumeRun(*store, checkpointTools(), options_, stop,
                             context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!resumed && unfetched && unfetched->error.message == resumed.error().message) {
      return problem(*std::move(unfetched));  // what it was pulled without could not be had
    }
    if (!resumed) return problemAt(withAdvice(*store, std::move(resumed).error()), target_);
    print(context.output(), *resumed);
    return ExitCode::Done;
  }

 private:
  Problem withAdvice(const Store& store, Error error) const {
    Problem cause(std::move(error));
    std::error_code status;
    const bool isTaken = !target_.empty() && std::filesystem::exists(target_, status);
    if (cause.error.code == ErrorCode::InvalidArgument && isTaken && !options_.force) {
      cause.fix = "the same command with --force, or with -o another folder";
    }
    const auto reference = parseReference(options_.run);
    const auto versions = store.catalog().versionsOf(reference ? reference->name : options_.run);
    const bool isOfMemoryAlone = versions && versions->empty();
    if (cause.error.code == ErrorCode::CorruptData && isOfMemoryAlone) {
      cause.adviceByCode = false;
    } else if (cause.error.code == ErrorCode::CorruptData) {
      cause.fix = "strata verify --repair";
      cause.details.push_back(
          "A checkpoint that is still there mends its snapshot: strata snapshot RUN PATH");
    }
    if (cause.error.code != ErrorCode::NotFound || !reference) return cause;
    const std::string& run = reference->name;
    const auto removed = store.catalog().versionsOf(run, Place::Trash);
    const auto live = store.catalog().versionsOf(run);
    const bool isInTrash =
        removed && live && live->empty() &&
        std::ranges::any_of(*removed, [](const auto& one) { return !one.isUnlisted; });
    cause.fix = isInTrash ? "strata trash restore " + shellWord(run + ":v*") : "strata run list";
    return cause;
  }

  static void print(Output& output, const ResumeReport& report) {
    const RestoreReport& restored = report.restored;
    Json passed = Json::array();
    for (const ResumeReport::Passed& one : report.passed) {
      passed.push_back({{"version", one.label}, {"reason", one.why}});
      output.warning(
          printable(fmt::format("{} is not complete and was passed over: {}", one.label, one.why)));
    }
    const bool isStored = !report.isFromMemory;
    output.event("result", {{"version", isStored ? toJson(restored.version) : Json(nullptr)},
                            {"from_memory", report.isFromMemory},
                            {"path", report.place.string()},
                            {"kind", name(report.state.kind)},
                            {"step", orNull(report.state.step)},
                            {"beside", besideJson(report.beside)},
                            {"passed", std::move(passed)},
                            {"bytes", restored.writtenBytes},
                            {"seconds", restored.seconds}});
    output.essential(report.place.string());
    if (isStored) sayBeside(output, report.snapshot, report.beside);
    if (restored.version.lossy) {
      output.warning(fmt::format("{} is lossy: what goes on from it differs from the run before",
                                 restored.version.label()));
    }
    output.line(printable(fmt::format("Restored {}  {}  from {}", report.place.string(),
                                      wordBytes(restored.writtenBytes),
                                      isStored ? restored.version.label() : "memory")));
    const std::string took = isStored ? ", " + wordElapsed(restored.seconds) : "";
    output.line(fmt::format(
        "  {}{}, {}{}", report.state.step ? fmt::format("step {}, ", *report.state.step) : "",
        name(report.state.kind), restored.version.lossy ? "lossy" : "exact", took));
  }

  ResumeOptions options_;
  std::string target_;
  int verify_ = 0;
};

}  // namespace

std::unique_ptr<Command> makeResume() { return std::make_unique<ResumeCommand>(); }

}  // namespace strata::cli
