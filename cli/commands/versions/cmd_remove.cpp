#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/views/removal_view.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/text/wording.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

class RemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remove REF... [options]",
            .summary = "Take versions away, into the trash. Your own files are never touched.",
            .examples = {"remove sst2:v1", "remove sst2 --all", "remove 'sst2:v1?'",
                         "remove sst2:v1 --now --yes", "remove hub/sst2:v1"},
            .details =
                "A plain NAME is its newest version; * and ? stand for any characters and for one. "
                "Versions that are differences to a removed one restore as before: what they need "
                "of it stays in the store until they are removed, too. REMOTE/REF takes a version "
                "and its tags off a "
                "remote's list, after asking; there is no trash there."};
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
    STRATA_ATTEMPT(const std::string remote, takeRemote(context));
    if (!remote.empty()) return removeThere(context, remote);
    STRATA_ATTEMPT(Store* const store, context.openStore());
    if (options_.now && !options_.dryRun) {
      RemoveOptions trial = options_;
      trial.dryRun = true;
      auto preview = removeVersions(*store, trial);
      if (!preview) {
        return problem(std::move(preview).error(), ErrorCode::NotFound,
                       context.trashCommand("empty", options_.references));
      }
      STRATA_ATTEMPT(
          const bool isWanted,
          context.confirm(fmt::format("{} will be deleted for good, {} in {}",
                                      labelsText(preview->versions, ", "),
                                      wordBytes(bytesOf(*preview)), store->folder().string())));
      if (!isWanted) return problem(ErrorCode::Cancelled, "nothing was removed");
    }
    STRATA_TRY(const RemoveReport report, removeVersions(*store, options_));
    printRemoval(context.output(), report, {.now = options_.now, .dryRun = options_.dryRun});
    return ExitCode::Done;
  }

 private:
  /// The remote that all of `REMOTE/REF...` name, which then become `REF...`; else empty.
  Attempt<std::string> takeRemote(Context& context) {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const RemoteList list, remotesFor(store->folder(), options_.references));
    const auto isPlain = [&](const std::string& word) { return !readRemoteReference(list, word); };
    const auto plain =
        std::count_if(options_.references.begin(), options_.references.end(), isPlain);
    if (plain == static_cast<std::ptrdiff_t>(options_.references.size())) {
      for (std::string& word : options_.references) word = storedWord(word);
      return std::string();
    }
    if (plain > 0) return usage("one command removes either here or on a remote");
    return takeRemoteWord(context, options_.references);
  }

  Outcome removeThere(Context& context, const std::string& word) {
    if (options_.now) return usage("--now is for this store; a remote has no trash");
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, word));
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    RemoteRemoveOptions options{.references = options_.references,
                                .allVersions = options_.allVersions,
                                .dryRun = true,
                                .keptAs = remote.shown(),
                                .cards = hub::cardsFor(remote.config)};
    const std::stop_token stop = context.stopToken();
    auto removed = removeRemoteVersions(*store, *remote.transport, options, stop);
    if (!removed) return problem(remoteProblem(std::move(removed).error(), remote.config));
    if (!options_.dryRun) {
      // Just what was said, whatever becomes the newest until the answer.
      options.references = labelsThere(*removed);
      STRATA_ATTEMPT(const bool isWanted,
                     context.confirm(printable(fmt::format("{} will be taken off {} for good",
                                                           fmt::join(options.references, ", "),
                                                           remote.shown()))));
      if (!isWanted) return problem(ErrorCode::Cancelled, "nothing was removed");
      options.dryRun = false;
      removed = removeRemoteVersions(*store, *remote.transport, options, stop);
      if (!removed) return problem(remoteProblem(std::move(removed).error(), remote.config));
    }
    print(context.output(), *removed, remote.shown());
    return ExitCode::Done;
  }

  static std::vector<std::string> labelsThere(const RemoteRemoveReport& report) {
    std::vector<std::string> labels;
    for (const RemoteVersion& version : report.versions) labels.push_back(version.ref.label());
    return labels;
  }

  void print(Output& output, const RemoteRemoveReport& report, const std::string& remote) const {
    output.document({{"remote", remote},
                     {"removed", labelsThere(report)},
                     {"to_trash", false},
                     {"dry_run", options_.dryRun},
                     {"freed_bytes", 0},
                     {"freeable_bytes", report.freeableBytes}});
    for (const RemoteVersion& version : report.versions) {
      output.essential(version.ref.label());
      std::vector<std::string> tags;
      for (const TagRef& tag : report.tags) {
        if (tag.name == version.ref.name && tag.number == version.ref.number) {
          tags.push_back(tag.tag);
        }
      }
      output.line(printable(fmt::format(
          "{} {}{}  from {}", options_.dryRun ? "Would remove" : "Removed", version.ref.label(),
          tags.empty() ? "" : fmt::format("  ({})", fmt::join(tags, ", ")), remote)));
    }
    if (options_.dryRun) return output.line("Nothing was removed.");
    output.note(printable(fmt::format("{} no version there needs now: {}",
                                      wordBytes(report.freeableBytes), report.afterRemoval)));
    if (!report.refsAreAtomic) {
      output.warning(printable(remote +
                               ": cannot keep two writers apart; look with fetch whether a "
                               "push at the same time needs what was removed"));
    }
  }

  std::uint64_t bytesOf(const RemoveReport& report) const {
    return options_.now ? std::max(report.freedBytes, report.freeableBytes) : report.freeableBytes;
  }

  RemoveOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeRemove() { return std::make_unique<RemoveCommand>(); }

}  // namespace strata::cli
