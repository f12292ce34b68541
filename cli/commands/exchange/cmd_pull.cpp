#include <fmt/format.h>

#include "cli/base_fetch.h"
#include "cli/transfer_run.h"
#include "cli/views/remote_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class PullCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "pull [REF...] [REMOTE] [options]",
            .summary = "Fetch versions from a remote; what is here is not fetched again.",
            .examples = {"pull ner hub", "pull -n", "pull hub/sst2:prod", "pull --latest 1",
                         "pull 'sst2*' --lazy"},
            .details =
                "Without REF all versions, without REMOTE the default one; the remote stands last. "
                "Parents that are missing here come along. Tags that were moved there move here, "
                "too, unless they "
                "were moved here since. Interrupted, the same command goes on where it stopped, "
                "or transfer resume."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions of the remote or patterns; the last word may be a remote",
                   .completes = Completes::References});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "say what would be fetched, fetch nothing"});
    arguments.add({.spelling = "--latest",
                   .target = &latest_,
                   .value = "N",
                   .help = "only the newest N versions of each name"});
    arguments.add({.spelling = "--lazy",
                   .target = &options_.lazy,
                   .help = "manifests only; a later pull brings the rest"});
    arguments.add({.spelling = "--force-tag",
                   .target = &options_.forceTags,
                   .help = "take the remote's tags, also those that were moved here"});
    arguments.add(fetchBasesArgument(fetchBases_));
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const std::string word, takeRemoteWord(context, options_.references));
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, word));
    STRATA_ATTEMPT(Store* const store, context.openStore());
    options_.latest = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(latest_.value_or(0), std::numeric_limits<std::uint32_t>::max()));
    return runPull(context, *store, remote, options_, fetchBases_);
  }

 private:
  PullOptions options_;
  bool fetchBases_ = false;
  std::optional<std::uint64_t> latest_;
};

class FetchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "fetch [REMOTE]",
            .summary = "Ask a remote what it has, without fetching any of it.",
            .examples = {"fetch", "fetch hub"},
            .details =
                "What the remote lists is kept. So the next command notices a list that is lost "
                "there, or an older one that is put back."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REMOTE",
                   .target = &remote_,
                   .help = "its name; the default one without it",
                   .completes = Completes::Remotes});
    arguments.add(
        {.spelling = "--accept-older",
         .target = &options_.acceptOlder,
         .help = "what it lists now counts, also where it listed something newer before"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, remote_));
    if (remote.config.name.empty()) {
      return usage(remote.config.url + ": is no remote of this store",
                   "strata remote add hub " + shellWord(remote.config.url));
    }
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    auto fetched =
        fetchRemote(*store, *remote.transport, remote.config.name, context.stopToken(), options_);
    if (!fetched) return problem(remoteProblem(std::move(fetched).error(), remote.config));
    print(context.output(), *fetched, remote.shown());
    return ExitCode::Done;
  }

 private:
  static void print(Output& output, const FetchReport& report, const std::string& remote) {
    Json versions = Json::array();
    for (const RemoteVersion& version : report.newVersions) {
      versions.push_back({{"ref", version.ref.label()},
                          {"hash", toHex(version.ref.contentDigest)},
                          {"bytes", version.ref.storedBytes},
                          {"original_bytes", version.originalBytes}});
      output.essential(version.ref.label());
      output.line(printable(fmt::format("New {}  {}  {}", version.ref.label(),
                                        wordBytes(version.ref.storedBytes), version.ref.note)));
    }
    output.event("result", {{"remote", remote},
                            {"new", std::move(versions)},
                            {"versions", report.versionCount},
                            {"tags", report.tagCount},
                            {"bases_elsewhere", basesJson(report.elsewhere)},
                            {"problems", report.problems}});
    printElsewhere(output, report.elsewhere);
    for (const std::string& text : report.problems) output.warning(printable(text));
    output.line(
        printable(fmt::format("{} has {} and {}", remote, wordCount(report.versionCount, "version"),
                              wordCount(report.tagCount, "tag"))));
  }

  std::string remote_;
  FetchOptions options_;
};

}  // namespace

std::unique_ptr<Command> makePull() { return std::make_unique<PullCommand>(); }
std::unique_ptr<Command> makeFetch() { return std::make_unique<FetchCommand>(); }

}  // namespace strata::cli
