#include <fmt/format.h>

#include "cli/checkpoint_tools.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/ops/runs/list_runs.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class RunListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "run list",
            .summary = "The training runs of the store, with the newest snapshot of each.",
            .examples = {"run list", "run list --json"},
            .details =
                "A run is a name with snapshots; log RUN shows all of them. The newest is the "
                "one that was trained furthest: of the greatest step."};
  }

  void declare(Arguments&) override {}

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const std::vector<RunRow> rows, listRuns(*store));
    Output& output = context.output();
    Json runs = Json::array();
    Table table({{"RUN", Align::Left, true},
                 {"SNAPSHOTS", Align::Right},
                 {"NEWEST"},
                 {"STEP", Align::Right},
                 {"LOSS", Align::Right},
                 {"SCORE"},
                 {"MODELS", Align::Right},
                 {"STORED", Align::Right},
                 {"ADDED", Align::Left, false, false, true}});
    for (const RunRow& row : rows) {
      runs.push_back({{"run", row.run},
                      {"snapshots", row.snapshotCount},
                      {"newest", row.newest.version.label()},
                      {"beside", besideJson(row.beside)},
                      {"state", row.newest.state ? toJson(*row.newest.state) : Json(nullptr)},
                      {"original_bytes", row.originalBytes},
                      {"stored_bytes", row.storedBytes},
                      {"added", isoDate(row.newest.version.addedAt)}});
      output.essential(row.run);
      table.addRow(cells(row));
    }
    output.document({{"runs", std::move(runs)}});
    if (rows.empty()) {
      output.note("No runs.");
      return ExitCode::Done;
    }
    table.print(output);
    for (const RunRow& row : rows) sayBeside(output, row.newest, row.beside);
    return ExitCode::Done;
  }

 private:
  static std::vector<std::string> cells(const RunRow& row) {
    const auto& known = row.newest.state;
    const TrainerState state = known.value_or(TrainerState{});
    return {row.run,
            std::to_string(row.snapshotCount),
            row.newest.version.label(),
            known ? std::to_string(state.step) : "-",
            state.loss ? loggedText(*state.loss, state.lossStep, state.step) : "-",
            state.score
                ? fmt::format("{} {}", loggedText(*state.score, state.scoreStep, state.step),
                              state.scoreName)
                : "-",
            wordBytes(row.originalBytes),
            wordBytes(row.storedBytes),
            wordDate(row.newest.version.addedAt)};
  }
};

}  // namespace

std::unique_ptr<Command> makeRunList() { return std::make_unique<RunListCommand>(); }

}  // namespace strata::cli
