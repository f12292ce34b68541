#include "cli/transfer_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/base_fetch.h"
#include "cli/views/transfer_view.h"
#include "core/io/file_limit.h"
#include "core/store/objects/awaited_packs.h"
#include "core/text/command_words.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transfer_log.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

/// The failure, and the command that goes on if the catalog has kept the transfer. Going on does
/// not help where something is damaged: `check` is the command that tells what does, if the failure
/// itself does not say it.
/// `strata` is that word, and what leads to the store where the command line does not.
Problem stopped(const Store& store, Error error, const OpenRemote& remote, std::string check,
                std::string_view strata = "strata") {
  Problem cause = remoteProblem(std::move(error), remote.config);
  const auto entries = listTransfers(store);
  if (!entries) return cause;
  const auto kept = std::find_if(entries->rbegin(), entries->rend(), [](const auto& entry) {
    return !entry.isLive() && entry.processId == ::getpid();
  });
  if (kept == entries->rend()) return cause;
  std::string resume = fmt::format("{} transfer resume {}", strata, kept->id);
  const bool isDamage = cause.error.code == ErrorCode::CorruptData;
  if (isDamage) {
    cause.fix = std::move(check);
    cause.details.push_back("Once that is mended, it goes on with \"" + resume + "\"");
  } else if (cause.fix.empty()) {
    cause.fix = std::move(resume);
  } else {
    cause.details.push_back("It goes on from there with \"" + resume + "\"");
  }
  return cause;
}

/// One line for each remote that brings what several versions lack.
void printPulls(Output& output, const Store& store, const std::vector<FailedTransfer>& failed) {
  std::map<std::string, std::size_t> counts;  // by remote
  for (const FailedTransfer& one : failed) {
    if (one.error.code != ErrorCode::NotFound) continue;
    const auto version = store.resolve(one.label);
    const auto awaited = version ? awaitedBy(store, *version) : std::nullopt;
    if (awaited) ++counts[awaited->remote];
  }
  for (const auto& [remote, count] : counts) {
    if (count < 2) continue;
    output.advice(fmt::format("All {} of these: strata pull{}{}", count, remote.empty() ? "" : " ",
                              remote.empty() ? "" : shellWord(remote)));
  }
}

}  // namespace

Outcome runPush(Context& context, Store& store, const OpenRemote& remote, PushOptions options) {
  for (const std::string& word : options.references) {
    if (!isGlob(word)) STRATA_TRY(store.resolve(word));
  }
  options.cards = hub::cardsFor(remote.config);
  options.parallel = parallelTransfers(context);
  options.keptAs = remote.shown();
  const std::stop_token stop = context.stopToken();
  auto pushed = pushVersions(store, *remote.transport, options, stop,
                             context.progress(Context::JsonProgress::Events));
  context.endProgress();
  if (!pushed) return problem(stopped(store, std::move(pushed).error(), remote, {}));
  const Outcome outcome = printPushed(context.output(), *pushed, remote.shown(), options.dryRun);
  printPulls(context.output(), store, pushed->failed);
  return outcome;
}

Outcome runPull(Context& context, Store& store, const OpenRemote& remote, PullOptions options,
                bool fetchBases, std::string_view strata) {
  allowManyFiles();
  options.parallel = parallelTransfers(context);
  options.fetchBase = baseFetcher(context, store, fetchBases);
  options.keptAs = remote.shown();
  const std::stop_token stop = context.stopToken();
  auto pulled = pullVersions(store, *remote.transport, options, stop,
                             context.progress(Context::JsonProgress::Events));
  context.endProgress();
  if (!pulled) {
    std::string check = fmt::format("{} remote verify {}", strata, shellWord(remote.shown()));
    return problem(stopped(store, std::move(pulled).error(), remote, std::move(check), strata));
  }
  return printPulled(context.output(), *pulled, remote.shown(), options.dryRun);
}

Outcome fetchAwaited(Context& context, Store& store, const std::string& reference) {
  const auto version = store.resolve(reference);
  if (!version) return ExitCode::Done;  // who needs it says so
  // Packs of a parent may be elsewhere.
  for (std::set<std::string> asked;;) {
    const std::optional<AwaitedPacks> awaited = awaitedBy(store, *version);
    if (!awaited || !asked.insert(pullCommand(*awaited)).second) return ExitCode::Done;
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, awaited->remote));
    context.output().note(
        printable(fmt::format("Fetching the packs of {} from {}, which are not "
                              "here yet",
                              awaited->reference, remote.shown())));
    const PullOptions options{.references = {awaited->reference},
                              .packsOnly = true,
                              .parallel = parallelTransfers(context),
                              .fetchBase = baseFetcher(context, store, false),
                              .keptAs = remote.shown()};
    auto pulled = pullVersions(store, *remote.transport, options, context.stopToken(),
                               context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!pulled) return problem(stopped(store, std::move(pulled).error(), remote, {}));
    if (!pulled->failed.empty()) {
      return problem(stopped(store, pulled->failed.front().error, remote, {}));
    }
  }
}

std::function<Result<void>(const VersionEntry&)> awaitedFetcher(Context& context, Store& store,
                                                                std::optional<Problem>* problem) {
  return [&context, &store, problem](const VersionEntry& version) -> Result<void> {
    const Outcome fetched = fetchAwaited(context, store, version.label());
    if (fetched) return {};
    if (problem != nullptr) *problem = fetched.error();
    return fail(fetched.error().error);
  };
}

}  // namespace strata::cli
