#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/ops/versions/rename_versions.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class RenameCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "rename NAME NEW [options]",
            .summary = "Give all versions of a name another one.",
            .examples = {"rename sst2 sentiment", "rename sst2 sentiment -n"},
            .details =
                "Numbers, tags, notes and dates stay; versions in the trash move along. NEW must "
                "be free, the trash included. Remotes keep the old name: the next push sends the "
                "versions under the new one, and a pull of the old one brings it back."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &options_.name,
                   .help = "what is to be renamed",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "NEW",
                   .target = &options_.newName,
                   .help = "its new name",
                   .isRequired = true});
    arguments.add(
        {.spelling = "-n,--dry-run", .target = &options_.dryRun, .help = "say what would move"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_ATTEMPT(const RenameReport renamed, renameVersions(*store, options_));
    print(context, renamed);
    warnOfAlikeRemote(context, options_.newName);
    return ExitCode::Done;
  }

 private:
  void print(Context& context, const RenameReport& report) const {
    Output& output = context.output();
    output.document({{"name", options_.newName},
                     {"was", options_.name},
                     {"versions", labelsOf(report.versions)},
                     {"trashed", report.trashedCount},
                     {"remotes", report.remotes},
                     {"dry_run", options_.dryRun}});
    output.essential(options_.newName);
    std::string trashed;
    if (report.trashedCount > 0)
      trashed = fmt::format(", {} more in the trash", report.trashedCount);
    output.line(fmt::format("{} {} {}: {}{}", options_.name,
                            options_.dryRun ? "would be called" : "is called", options_.newName,
                            wordCount(report.versions.size(), "version"), trashed));
    if (options_.dryRun) return output.line("Nothing was renamed.");
    for (const std::string& remote : report.remotes) {
      output.advice(fmt::format("{} still has {}; send the new name with: strata push {} {}",
                                remote, options_.name,
                                shellWord(plainWord(context, options_.newName + ":*")), remote));
    }
  }

  RenameOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeRename() { return std::make_unique<RenameCommand>(); }

}  // namespace strata::cli
