#include <fmt/format.h>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/version_view.h"
#include "core/ops/remove_versions.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class RemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remove REF... [options]",
            .summary = "Take versions away, into the trash. Your own files are never touched.",
            .examples = {"remove sst2:v1", "remove sst2 --all", "remove sst2:v1 --now --yes"},
            .details =
                "A plain NAME is its newest version. What other versions are differences to "
                "stays until they are removed, too."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions",
                   .completes = Completes::References,
                   .isRequired = true});
    arguments.add({.spelling = "--all",
                   .target = &options_.allVersions,
                   .help = "a plain NAME means all its versions"});
    arguments.add({.spelling = "--now",
                   .target = &options_.now,
                   .help = "delete for good, without the trash; asks first"});
    arguments.add(
        {.spelling = "-n,--dry-run", .target = &options_.dryRun, .help = "say what would go"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    if (options_.now && !options_.dryRun) {
      RemoveOptions trial = options_;
      trial.dryRun = true;
      STRATA_TRY(const RemoveReport preview, removeVersions(*store, trial));
      STRATA_ATTEMPT(
          const bool isWanted,
          context.confirm(fmt::format("{} will be deleted for good, {} in {}", names(preview),
                                      wordBytes(bytesOf(preview)), store->folder().string())));
      if (!isWanted) return problem(ErrorCode::Cancelled, "nothing was removed");
    }
    STRATA_TRY(const RemoveReport report, removeVersions(*store, options_));
    print(context.output(), report);
    return ExitCode::Done;
  }

 private:
  static std::string names(const RemoveReport& report) {
    std::vector<std::string> labels;
    for (const VersionEntry& version : report.versions) labels.push_back(version.label());
    return fmt::format("{}", fmt::join(labels, ", "));
  }

  std::uint64_t bytesOf(const RemoveReport& report) const {
    return options_.now ? std::max(report.freedBytes, report.freeableBytes) : report.freeableBytes;
  }

  void print(Output& output, const RemoveReport& report) const {
    output.document({{"removed", labelsOf(report.versions)},
                     {"to_trash", !options_.now},
                     {"dry_run", options_.dryRun},
                     {"freed_bytes", report.freedBytes},
                     {"freeable_bytes", report.freeableBytes}});
    for (const VersionEntry& version : report.versions) {
      output.essential(version.label());
      const std::string tags = version.tags.empty() ? "" : "  (" + tagsText(version) + ")";
      output.line(fmt::format("{} {}{}  {}", options_.dryRun ? "Would remove" : "Removed",
                              version.label(), tags, wordBytes(version.storedBytes)));
    }
    if (options_.dryRun) {
      output.line("Nothing was removed.");
    } else if (options_.now) {
      output.line(wordBytes(report.freedBytes) + " freed");
    } else if (!report.versions.empty()) {
      output.note(fmt::format("In the trash; back with: strata trash restore {}",
                              report.versions.front().label()));
    }
  }

  RemoveOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeRemove() { return std::make_unique<RemoveCommand>(); }

}  // namespace strata::cli
