#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

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
                     "prune 'run*' --keep-every 10 --keep-best", "prune run --keep-optimizer 3",
                     "prune run --keep-last 20 --keep-best --metric eval_loss"},
        .details =
            "At least one rule is needed; a version that one of them keeps stays. * and ? in "
            "NAME stand for any characters and for one. Versions that are differences to a "
            "removed one restore as before: what they need of it stays in the store. "
            "--keep-optimizer is for the snapshots of a run. Older ones become versions of "
            "their other files, which are lossy and have the profile weights-only; what they "
            "were goes to the trash. \"strata undo\" takes all of a prune back."};
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
                   .help = "keep the version with the best score, of each metric"});
    arguments.add({.spelling = "--metric",
                   .target = &options_.keep.metric,
                   .value = "NAME",
                   .help = "of --keep-best: this one alone; NAME=min, NAME=max: what is better"});
    arguments.add({.spelling = "--keep-optimizer",
                   .target = &options_.keepOptimizer,
                   .value = "N",
                   .help = "leave the optimizer out of all snapshots that stay, but the newest N"});
    arguments.add(
        {.spelling = "-n,--dry-run", .target = &options_.dryRun, .help = "say what would go"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    options_.device = context.device();
    options_.memoryBytes = context.config().byteCount("memory");
    const std::stop_token stop = context.stopToken();
    auto report =
        pruneVersions(*store, options_, stop, context.progress(Context::JsonProgress::None));
    context.endProgress();
    if (!report) return problem(std::move(report).error());
    print(context.output(), *report);
    if (report->optimizers.ended) return problem(*std::move(report->optimizers.ended));
    return report->optimizers.kept.empty() ? ExitCode::Done : ExitCode::Partly;
  }

 private:
  using Dropped = DropOptimizerReport::Dropped;

  void print(Output& output, const PruneReport& report) const {
    std::map<std::string, const Dropped*> dropped;
    for (const Dropped& one : report.optimizers.dropped) dropped[one.former.label()] = &one;
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
      const auto lost = dropped.find(version.label());
      const bool isKept = !row.reasons.empty();
      if (isKept) {
        kept.push_back({{"ref", version.label()}, {"reasons", row.reasons}});
      } else {
        output.essential(version.label());
      }
      std::string why = fmt::format("{}", fmt::join(row.reasons, ", "));
      if (lost != dropped.end() && !options_.dryRun) {
        why += "; without its optimizer, as " + lost->second->now.label();
      }
      const std::string_view action = lost != dropped.end() ? "weights"
                                      : isKept              ? "keep"
                                                            : "remove";
      table.addRow({std::string(action), version.label(), wordDate(version.addedAt),
                    wordBytes(version.storedBytes), tagsText(version), std::move(why)});
    }
    document["kept"] = std::move(kept);
    Json best = Json::array();
    for (const PruneReport::Best& one : report.best) {
      best.push_back({{"ref", one.label},
                      {"metric", one.metric},
                      {"score", one.score},
                      {"better", one.isMoreBetter ? "max" : "min"}});
    }
    document["best"] = std::move(best);
    addOptimizers(report.optimizers, document);
    output.document(std::move(document));
    table.print(output);
    if (!options_.keep.isEmpty()) printRemoval(output, report, mode);
    if (options_.keepOptimizer) printOptimizers(output, report);
    if (options_.dryRun) {
      output.line(options_.keepOptimizer ? "Nothing was changed." : "Nothing was removed.");
    }
    if (!options_.dryRun) adviseBack(output, report);
  }

  static void addOptimizers(const DropOptimizerReport& report, Json& document) {
    Json dropped = Json::array();
    for (const Dropped& one : report.dropped) {
      const bool isDone = one.now.number != one.former.number;
      dropped.push_back({{"ref", one.former.label()},
                         {"now", orNull(isDone ? one.now.label() : std::string())},
                         {"state_bytes", one.stateBytes}});
    }
    Json kept = Json::array();
    for (const DropOptimizerReport::Kept& one : report.kept) {
      kept.push_back({{"ref", one.label}, {"reason", one.why}});
    }
    document["optimizers_dropped"] = std::move(dropped);
    document["optimizers_kept"] = std::move(kept);
  }

  void printRemoval(Output& output, const PruneReport& report, const RemovalMode& mode) const {
    output.line(fmt::format("{} {} of {}", options_.dryRun ? "Would remove" : "Removed",
                            report.removal.versions.size(),
                            wordCount(report.rows.size(), "version")));
    printRemovalBytes(output, report.removal, mode);
  }

  void printOptimizers(Output& output, const PruneReport& report) const {
    const DropOptimizerReport& optimizers = report.optimizers;
    std::uint64_t bytes = 0;
    for (const Dropped& one : optimizers.dropped) bytes += one.stateBytes;
    output.line(fmt::format("{} the optimizer out of {}, {} of its files",
                            options_.dryRun ? "Would leave" : "Left",
                            wordCount(optimizers.dropped.size(), "snapshot"), wordBytes(bytes)));
    for (const DropOptimizerReport::Kept& one : optimizers.kept) {
      output.warning(printable(one.label + ": keeps its optimizer: " + one.why));
    }
    if (report.freeableBytes > 0 && report.removal.versions.empty()) {
      output.line("Emptying the trash frees " + wordBytes(report.freeableBytes));
    }
  }

  static void adviseBack(Output& output, const PruneReport& report) {
    const std::size_t removed = report.removal.versions.size();
    constexpr std::size_t kMostNamed = 8;
    if (!report.optimizers.dropped.empty()) {
      output.advice("What was there is in the trash; back with: strata undo");
    } else if (removed > kMostNamed) {
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
