#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/operation_view.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/ops/versions/operation_history.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class HistoryCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "history [options]",
            .summary = "What was done to the store, the latest first; undo takes it back.",
            .examples = {"history", "history --limit 5 --verbose"},
            .details = "The last thousand operations are kept. log is the history of models."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "--limit",
                   .target = &limit_,
                   .value = "N",
                   .help = "at most so many operations"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const auto operations,
               operationHistory(*store, {.limit = static_cast<std::size_t>(limit_.value_or(0))}));
    Output& output = context.output();
    Json list = Json::array();
    // The longest text comes last: nothing is set behind it.
    Table table(
        {{"ID", Align::Right}, {"WHEN"}, {"OPERATION"}, {"STATE"}, {"OF", Align::Left, true}});
    for (const Operation& operation : operations) {
      if (output.isJson()) list.push_back(toJson(operation, canTakeBack(*store, operation)));
      output.essential(std::to_string(operation.id));
      table.addRow({std::to_string(operation.id), wordDate(operation.at), operation.kind,
                    operation.isUndone ? "taken back" : "", printable(operation.detail)});
      if (context.global().verbosity < 1) continue;
      for (const std::string& step : stepTexts(operation)) table.addRow({"", "", "", "", step});
    }
    output.document({{"operations", std::move(list)}});
    if (operations.empty()) {
      output.note("Nothing was done yet.");
    } else {
      table.print(output);
    }
    return ExitCode::Done;
  }

 private:
  std::optional<std::uint64_t> limit_;
};

}  // namespace

std::unique_ptr<Command> makeHistory() { return std::make_unique<HistoryCommand>(); }

}  // namespace strata::cli
