#include <fmt/format.h>

#include "cli/checkpoint_tools.h"
#include "cli/context.h"
#include "cli/views/time_text.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/inspect/version_log.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class LogCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "log [NAME] [options]",
            .summary = "The history of one name or of the whole store, newest first.",
            .examples = {"log sst2", "log --oneline --limit 20", "log sst2 --since 2026-03-01"},
            .details = "Of the snapshots of a run, log RUN also says step, loss and score."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &options_.name,
                   .help = "whose history; all names without it",
                   .completes = Completes::Names});
    arguments.add(
        {.spelling = "--oneline", .target = &oneLine_, .help = "a line for each version"});
    arguments.add({.spelling = "--limit",
                   .target = &limit_,
                   .value = "N",
                   .help = "at most so many versions"});
    arguments.add({.spelling = "--since",
                   .target = &since_,
                   .value = "DATE",
                   .help = "2026-03-01, or an age: 14d"});
  }

  Outcome run(Context& context) override {
    if (since_) {
      const auto moment = parseMoment(*since_, secondsNow());
      if (!moment) return problem(moment.error().within("--since"));
      options_.sinceSeconds = *moment;
    }
    options_.limit = limit_.value_or(0);
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const LogReport report, versionLog(*store, options_));
    Output& output = context.output();
    Json versions = Json::array();
    for (const LogRow& row : report.rows) {
      const State& state = row.state;
      versions.push_back(toJson(row));
      if (state) versions.back()["snapshot"] = toJson(*state);
      output.essential(row.version.label());
      if (output.isText())
        oneLine_ ? printLine(output, row, state) : printEntry(output, row, state);
    }
    output.document({{"versions", std::move(versions)}});
    if (report.rows.empty()) output.note("No versions.");
    return ExitCode::Done;
  }

 private:
  using State = std::optional<TrainerState>;

  static void printLine(Output& output, const ListRow& row, const State& state) {
    const VersionEntry& version = row.version;
    std::string line = fmt::format("{}  {}", shortHex(version.contentDigest), version.label());
    if (!version.tags.empty()) line += " (" + tagsText(version) + ")";
    line += fmt::format("  {}  {}", storedText(version, row.taken), ratioText(version, row.taken));
    if (state) line += "  " + stateText(*state);
    if (!row.awaited.isHere()) line += "  " + awaitedText(row.awaited);
    if (!version.note.empty()) line += "  " + version.note.substr(0, version.note.find('\n'));
    output.line(printable(line));
  }

  void printEntry(Output& output, const ListRow& row, const State& state) {
    const VersionEntry& version = row.version;
    if (!isFirst_) output.line("");
    isFirst_ = false;
    std::string title = fmt::format("{}  {}", version.label(), shortHex(version.contentDigest));
    if (!version.tags.empty()) title += "  (" + tagsText(version) + ")";
    if (version.lossy) title += fmt::format("  {}", fidelity(version));
    if (!row.awaited.isHere()) title += "  " + awaitedText(row.awaited);
    output.line(tinted(output.out(), Tint::Strong, printable(title)));
    output.line(fmt::format("  {}   {}", wordDate(version.addedAt), sizeText(version, row.taken)));
    if (version.isBase()) {
      output.line("  base, " + wordCount(version.tensorCount, "tensor"));
    } else {
      output.line(printable(fmt::format("  against {}: {}, change {}", row.parentLabel,
                                        tensorCounts(version), wordChangeOf(version))));
    }
    if (state) output.line(printable("  " + stateText(*state)));
    if (!version.note.empty()) output.line("  " + printable(version.note));
  }

  LogOptions options_;
  bool oneLine_ = false;
  bool isFirst_ = true;
  std::optional<std::uint64_t> limit_;
  std::optional<std::string> since_;
};

}  // namespace

std::unique_ptr<Command> makeLog() { return std::make_unique<LogCommand>(); }

}  // namespace strata::cli
