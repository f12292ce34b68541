#include <fmt/format.h>

#include "cli/context.h"
#include "cli/words/command.h"
#include "core/ops/versions/edit_note.h"

namespace strata::cli {
namespace {

std::string quoted(const std::string& note) {
  return note.empty() ? "no note" : "\"" + note + "\"";
}

class NoteCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "note REF TEXT",
            .summary = "Give a version another note.",
            .examples = {"note sst2:v2 \"passed review\"", "note sst2 \"\""},
            .details =
                "An empty text takes the note away. Nothing else of the version changes. "
                "Remotes that have the version keep the note that they have."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add(
        {.spelling = "TEXT", .target = &options_.text, .help = "the note", .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_TRY(const TextReport report, editNote(*store, options_));
    Output& output = context.output();
    const std::string label = report.version.label();
    output.document({{"version", label},
                     {"note", report.version.note},
                     {"former", report.former},
                     {"changed", report.hasChanged}});
    output.essential(label);
    const std::string before =
        report.hasChanged ? ", before " + quoted(report.former) : std::string{};
    output.line(printable(fmt::format("{} {} {}{}", label, report.hasChanged ? "has now" : "has",
                                      quoted(report.version.note), before)));
    return ExitCode::Done;
  }

 private:
  NoteOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeNote() { return std::make_unique<NoteCommand>(); }

}  // namespace strata::cli
