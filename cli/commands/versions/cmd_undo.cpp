#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/operation_view.h"
#include "cli/words/command.h"
#include "core/ops/versions/operation_history.h"

namespace strata::cli {
namespace {

/// `undo` and `redo`.
class UndoCommand final : public Command {
 public:
  explicit UndoCommand(bool again) { options_.again = again; }

  CommandInfo info() const override {
    if (options_.again) {
      return {.usage = "redo [ID] [options]",
              .summary = "Do again what undo took back last.",
              .examples = {"redo", "redo --dry-run"},
              .details =
                  "That is refused once something else was done since. ID is the number of "
                  "an operation that history shows."};
    }
    return {.usage = "undo [ID] [options]",
            .summary = "Take the last operation of this store back, whoever did it.",
            .examples = {"undo --dry-run", "undo", "undo 12"},
            .details =
                "That may be an add, import, remove, prune, rename, note, source, recode, trash "
                "restore or a change of tags. What was added goes to the trash. Once more goes one "
                "step further back; redo does it again. Refused where something was changed since, "
                "or what it takes is gone, as after trash empty, or gc for a recode. ID is the "
                "number of an operation that history shows."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "ID", .target = &id_, .help = "an operation other than the last"});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = options_.again ? "say what would be done" : "say what would go back"});
  }

  Outcome run(Context& context) override {
    if (id_) options_.id = static_cast<std::int64_t>(*id_);
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto report = undoOperation(*store, options_);
    if (!report) {
      return problemOfReturn(std::move(report).error(), ErrorCode::NotFound, "strata history");
    }
    print(context.output(), *report);
    return ExitCode::Done;
  }

 private:
  void print(Output& output, const UndoReport& report) const {
    const Operation& operation = report.operation;
    output.document({{"operation", toJson(operation, options_.again != options_.dryRun)},
                     {"changes", report.changes},
                     {"dry_run", options_.dryRun}});
    output.essential(std::to_string(operation.id));
    const std::string what = operationText(operation);
    if (options_.again) {
      output.line((options_.dryRun ? "Would do again: " : "Did again: ") + what);
    } else {
      output.line((options_.dryRun ? "Would take back: " : "Took back: ") + what);
    }
    for (const std::string& change : report.changes) output.line("  " + change);
    if (options_.dryRun) return output.line("Nothing was changed.");
    if (!options_.again)
      output.advice(fmt::format("Do it again with: strata redo{}",
                                id_ ? fmt::format(" {}", operation.id) : ""));
  }

  UndoOptions options_;
  std::optional<std::uint64_t> id_;
};

}  // namespace

std::unique_ptr<Command> makeUndo() { return std::make_unique<UndoCommand>(false); }
std::unique_ptr<Command> makeRedo() { return std::make_unique<UndoCommand>(true); }

}  // namespace strata::cli
