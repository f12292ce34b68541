#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/remote_access.h"
#include "cli/views/time_text.h"
#include "cli/words/command.h"
#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class RemoteGcCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote gc [REMOTE] [--yes]",
            .summary =
                "Free what no version of a remote needs; says what would go unless --yes is given.",
            .examples = {"remote gc hub", "remote gc hub --older-than 7d --yes"},
            .details =
                "What was sent within a day stays, for pushes that were interrupted to go on with. "
                "Nothing is deleted "
                "while a version or manifest there cannot be read. Others may push meanwhile. "
                "Where a list could not be read and was mended by a store that had not seen it, "
                "all stays that no list names, until a store that saw the lost list has pushed "
                "(exit 3). --accept-lost lets go of it. So does what versions of this store need "
                "that are not listed there, unless this store took them off: push sends them, "
                "--drop-unlisted lets go of it. "
                "Once objects of a folder or bucket were deleted, programs without this command "
                "cannot use it any more."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REMOTE",
                   .target = &remote_,
                   .help = "its name or URL; the default one without it",
                   .completes = Completes::Remotes});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &dryRun_,
                   .help = "say what would go, also with --yes"});
    arguments.add({.spelling = "--older-than",
                   .target = &olderThan_,
                   .value = "AGE",
                   .help = "only what was sent before then, 1d unless given; not of hf://"});
    arguments.add({.spelling = "--accept-lost",
                   .target = &acceptLost_,
                   .help = "also what only a lost list may have named"});
    arguments.add({.spelling = "--drop-unlisted",
                   .target = &dropUnlisted_,
                   .help = "also what versions here need that are not listed there"});
  }

  Outcome run(Context& context) override {
    const bool isDryRun = dryRun_ || !context.global().yes;
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, remote_));
    const std::int64_t now = secondsNow();
    const auto oldest = parseMoment(olderThan_, now);
    if (!oldest) return fail(oldest.error().within("--older-than"));
    const RemoteGarbageOptions options{.dryRun = isDryRun,
                                       .graceSeconds = now - *oldest,
                                       .parallel = parallelTransfers(context),
                                       .keptAs = remote.shown(),
                                       .acceptLost = acceptLost_,
                                       .dropUnlisted = dropUnlisted_};
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    auto report = collectRemoteGarbage(*store, *remote.transport, options, context.stopToken(),
                                       context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(remoteProblem(std::move(report).error(), remote.config));
    print(context.output(), *report, remote.shown(), isDryRun);
    return report->withheldObjects + report->hereAloneObjects > 0 ? ExitCode::Partly
                                                                  : ExitCode::Done;
  }

 private:
  /// What lists that were lost may have named.
  static void printWithheld(Output& output, const RemoteGarbageReport& report,
                            const std::string& remote) {
    if (report.withheldObjects == 0) return;
    const bool hasAge = report.withheldSince && report.withheldUntil;
    const std::string what =
        report.lostLists.empty()
            ? fmt::format(
                  "this store saw {} on {}, and nobody can tell whether that was removed "
                  "there or lost",
                  fmt::join(report.lostVersions, ", "), remote)
            : fmt::format(
                  "{} {} of {} could not be read, and a store mended it that had not seen "
                  "it",
                  report.lostLists.size() == 1 ? "list" : "lists",
                  fmt::join(report.lostLists, ", "), remote);
    output.warning(printable(
        fmt::format("kept {}, {}{}: {}", wordCount(report.withheldObjects, "object"),
                    wordBytes(report.withheldBytes),
                    hasAge ? fmt::format(", sent {} to {}", wordDate(*report.withheldSince),
                                         wordDate(*report.withheldUntil))
                           : std::string(),
                    what)));
    if (report.lostLists.empty()) {
      output.advice(fmt::format(
          "strata push --repair {} lists it there again; strata remote gc {} --accept-lost lets go "
          "of it",
          shellWord(remote), shellWord(remote)));
      return;
    }
    output.advice(
        fmt::format("strata push --repair {} from a store that saw it brings back what it named; "
                    "strata remote gc {} --accept-lost lets go of it",
                    shellWord(remote), shellWord(remote)));
  }

  static void printHereAlone(Output& output, const RemoteGarbageReport& report,
                             const std::string& remote) {
    if (report.hereAlone.empty()) return;
    constexpr std::size_t kNamed = 4;
    const std::size_t named = std::min(kNamed, report.hereAlone.size());
    const std::size_t rest = report.hereAlone.size() - named;
    output.warning(printable(
        fmt::format("kept {}, {}: {}{} {} here, and not listed on {}",
                    wordCount(report.hereAloneObjects, "object"), wordBytes(report.hereAloneBytes),
                    fmt::join(report.hereAlone.begin(), report.hereAlone.begin() + named, ", "),
                    rest == 0 ? std::string() : fmt::format(" and {} more", rest),
                    report.hereAlone.size() == 1 ? "is" : "are", remote)));
    output.advice(fmt::format(
        "strata push {} lists them there; strata remote gc {} --drop-unlisted lets go of that",
        shellWord(remote), shellWord(remote)));
  }

  void print(Output& output, const RemoteGarbageReport& report, const std::string& remote,
             bool isDryRun) const {
    Json freed = Json::array();
    for (const StockedObject& object : report.freed) {
      freed.push_back({{"object", toHex(object.digest)}, {"bytes", object.byteCount}});
      output.essential(toHex(object.digest));
    }
    output.document({{"remote", remote},
                     {"objects", std::move(freed)},
                     {"freed_bytes", report.freedBytes},
                     {"young_objects", report.youngObjects},
                     {"young_bytes", report.youngBytes},
                     {"kept_objects", report.keptObjects},
                     {"kept_bytes", report.keptBytes},
                     {"lost_lists", report.lostLists},
                     {"lost_versions", report.lostVersions},
                     {"withheld_objects", report.withheldObjects},
                     {"withheld_bytes", report.withheldBytes},
                     {"unlisted", report.hereAlone},
                     {"unlisted_objects", report.hereAloneObjects},
                     {"unlisted_bytes", report.hereAloneBytes},
                     {"scratch_files", report.scratchFiles},
                     {"dry_run", isDryRun}});
    const bool isNothing = report.freed.empty();
    output.line(printable(
        isNothing
            ? fmt::format("Nothing to free on {}: {}, {} needed.", remote,
                          wordCount(report.keptObjects, "object"), wordBytes(report.keptBytes))
            : fmt::format("{} {}, {} on {}; {} needed, {}", isDryRun ? "Would free" : "Freed",
                          wordCount(report.freed.size(), "object"), wordBytes(report.freedBytes),
                          remote, report.keptObjects, wordBytes(report.keptBytes))));
    if (report.youngObjects > 0) {
      output.line(fmt::format("Too young to go: {}, {}", wordCount(report.youngObjects, "object"),
                              wordBytes(report.youngBytes)));
    }
    printWithheld(output, report, remote);
    printHereAlone(output, report, remote);
    if (report.scratchFiles > 0) {
      output.line(fmt::format("{} {} that pushes left half written",
                              isDryRun ? "Would free" : "Freed",
                              wordCount(report.scratchFiles, "file")));
    }
    if (isDryRun && (!isNothing || report.scratchFiles > 0)) {
      output.advice(fmt::format(
          "Nothing was changed: strata remote gc {} --older-than {}{}{} --yes frees them",
          shellWord(remote), olderThan_, acceptLost_ ? " --accept-lost" : "",
          dropUnlisted_ ? " --drop-unlisted" : ""));
    } else if (!isNothing && !report.afterwards.empty()) {
      output.note(printable(report.afterwards));
    }
  }

  std::string remote_;
  std::string olderThan_ = "1d";
  bool dryRun_ = false;
  bool acceptLost_ = false;
  bool dropUnlisted_ = false;
};

}  // namespace

std::unique_ptr<Command> makeRemoteGc() { return std::make_unique<RemoteGcCommand>(); }

}  // namespace strata::cli
