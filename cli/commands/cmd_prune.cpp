#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/context.h"
#include "cli/views/removal_view.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/versions/prune_versions.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class PruneCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "prune NAME... [options]",
        .summary = "Take all versions of a name away that no rule keeps, into the trash.",
        .examples = {"prune run --keep-last 5 --dry-run", "prune run --keep-last 5 --keep-tagged",
                     "prune 'run*' --keep-every 10 --keep-best"},
        .details =
            "At least one rule is needed; a version that one of them keeps stays. * and ? in "
            "NAME stand for any characters and for one. Versions that are differences to a "
            "removed one restore as before: what they need of it stays in the store."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME...",
                   .target = &options_.names,
                   .help = "names",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "--keep-last",
                   .target = &options_.keep.last,
                   .value = "N",
                   .help = "keep the newest N versions of each name"});
    arguments.add({.spelling = "--keep-every",
                   .target = &options_.keep.every,
                   .value = "N",
                   .help = "keep versions whose number N divides: of 10 v10, v20, v30"});
    arguments.add({.spelling = "--keep-tagged",
                   .target = &options_.keep.tagged,
                   .help = "keep versions with a tag"});
    arguments.add({.spelling = "--keep-best",
                   .target = &options_.keep.best,
                   .help = "keep the version with the best stored score, of each metric"});
    arguments.add(
        {.spelling = "-n,--dry-run", .target = &options_.dryRun, .help = "say what would go"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_TRY(const PruneReport report, pruneVersions(*store, options_));
    print(context.output(), report);
    return ExitCode::Done;
  }

 private:
  void print(Output& output, const PruneReport& report) const {
    const RemovalMode mode{.now = false, .dryRun = options_.dryRun};
    Json document = removalJson(report.removal, mode);
    Json kept = Json::array();
    Table table({{"", Align::Left},
                 {"VERSION", Align::Left, true},
                 {"ADDED"},
                 {"STORED", Align::Right},
                 {"TAGS"},
                 {"WHY"}});
    for (const PruneReport::Row& row : report.rows) {
      const VersionEntry& version = row.version;
      const bool isKept = !row.reasons.empty();
      if (isKept) {
        kept.push_back({{"ref", version.label()}, {"reasons", row.reasons}});
      } else {
        output.essential(version.label());
      }
      table.addRow({isKept ? "keep" : "remove", version.label(), wordDate(version.addedAt),
                    wordBytes(version.storedBytes), tagsText(version),
                    fmt::format("{}", fmt::join(row.reasons, ", "))});
    }
    document["kept"] = std::move(kept);
    output.document(std::move(document));
    table.print(output);
    const std::size_t removed = report.removal.versions.size();
    output.line(fmt::format("{} {} of {}", options_.dryRun ? "Would remove" : "Removed", removed,
                            wordCount(report.rows.size(), "version")));
    printRemovalBytes(output, report.removal, mode);
    if (options_.dryRun) return output.line("Nothing was removed.");
    constexpr std::size_t kMostNamed = 8;
    if (removed > kMostNamed) {
      output.advice("In the trash: strata trash list");
    } else if (removed > 0) {
      output.advice("In the trash; back with: strata trash restore " +
                    labelsText(report.removal.versions, " "));
    }
  }

  PruneOptions options_;
};

}  // namespace

std::unique_ptr<Command> makePrune() { return std::make_unique<PruneCommand>(); }

}  // namespace strata::cli
