#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/checkpoint_tools.h"
#include "cli/transfer_run.h"
#include "cli/views/tune_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class SnapshotCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "snapshot RUN PATH [options]",
        .summary = "Store one checkpoint of a training run, with all its files.",
        .examples = {"snapshot sst2-run out/checkpoint-500",
                     "snapshot sst2-run out/checkpoint-500 --base minilm --push hub",
                     "snapshot vision lightning_logs/version_0/checkpoints/epoch=3-step=500.ckpt"},
        .details =
            "RUN is a name; its snapshots are RUN:v1, RUN:v2 and so on, with tags as step-500. "
            "Each is a difference to the one before it. Only a finished checkpoint is stored: "
            "one that a trainer was killed over is refused, and the reason is said. Files "
            "that are no model, as optimizer.pt, come back byte for byte."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "RUN",
                   .target = &run_,
                   .help = "the name of the run",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "PATH",
                   .target = &path_,
                   .help = "a checkpoint: the folder, or the file, that a trainer wrote",
                   .completes = Completes::Files,
                   .isRequired = true});
    wish_.declare(arguments);
  }

  Outcome run(Context& context) override {
    std::error_code status;
    if (!std::filesystem::exists(path_, status)) {
      // The order of the words is that of "add".
      if (std::filesystem::exists(run_, status)) {
        return usage(fmt::format("{}: no such checkpoint; the name of the run comes first", path_),
                     fmt::format("strata snapshot {} {}", shellWord(path_), shellPath(run_)));
      }
      Problem cause(Error{ErrorCode::NotFound, path_ + ": no such file or folder"});
      cause.adviceByCode = false;
      return problem(std::move(cause));
    }
    STRATA_ATTEMPT(SnapshotOptions options, wish_.options(context, run_));
    options.path = path_;
    STRATA_ATTEMPT(Store* const store, context.openStore());
    options.fetch = awaitedFetcher(context, *store);
    std::optional<OpenRemote> remote;
    if (wish_.remote()) {
      STRATA_ATTEMPT(remote, openRemote(context, *wish_.remote()));
    }
    if (!store->resolve(run_)) warnOfAlikeRemote(context, run_);
    warnOfNoRun(context.output(), *store, run_);
    const std::stop_token stop = context.stopToken();
    auto taken = takeSnapshot(*store, checkpointTools(), options, stop,
                              context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!taken) return problem(withAdvice(std::move(taken).error()));
    if (taken->isTooNear()) {
      context.output().event("result", {{"skipped", true},
                                        {"path", path_},
                                        {"step", orNull(taken->state.step)},
                                        {"drift", orNull(taken->drift)},
                                        {"near", taken->nearTo}});
      context.output().line(printable("Not stored  " + path_ + "  " + tooNearText(*taken)));
      if (!remote) return ExitCode::Done;
      return runPush(context, *store, *remote, wish_.push({run_ + ":v*"}));  // what waits
    }
    printAdded(context.output(), taken->added, path_);
    if (!taken->wasTaken) printLoss(context.output(), taken->added);
    if (!taken->twin.empty()) {
      const std::string_view same =
          taken->isTwinOfTensors ? "made of the same tensors" : "with the same bytes";
      context.output().line(printable(fmt::format("  name    {}, {}", taken->twin, same)));
    }
    sayDoubts(context.output(), *taken);
    const std::string label = taken->added.version.label();
    if (!remote) {
      context.output().advice("Next: strata resume " + plainWord(context, run_));
      return ExitCode::Done;
    }
    return runPush(context, *store, *remote, wish_.push({label}));
  }

 private:
  /// What is no finished checkpoint can still be kept, as a model.
  Problem withAdvice(Error error) const {
    Problem cause(std::move(error));
    if (cause.error.code != ErrorCode::Unsupported) return cause;
    cause.details.push_back(
        fmt::format("\"strata add {} {}\" stores it as it is, if it is a model or has one",
                    shellWord(run_), shellPath(path_)));
    return cause;
  }

  std::string run_;
  std::string path_;
  SnapshotWish wish_;
};

}  // namespace

std::unique_ptr<Command> makeSnapshot() { return std::make_unique<SnapshotCommand>(); }

}  // namespace strata::cli
