#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/base_fetch.h"
#include "cli/transfer_run.h"
#include "cli/views/table.h"
#include "cli/views/transfer_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/text/wording.h"
#include "core/transfer/transfer_log.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

using Direction = TransferRequest::Direction;

std::string amountText(const TransferEntry& entry) {
  if (entry.totalBytes == 0) return {};
  return fmt::format("{} of {}", wordBytes(std::min(entry.doneBytes, entry.totalBytes)),
                     wordBytes(entry.totalBytes));
}

Json entryJson(const TransferEntry& entry) {
  const TransferRequest& request = entry.request;
  return {{"id", entry.id},
          {"direction", request.direction == Direction::Push ? "push" : "pull"},
          {"remote", request.remote},
          {"refs", request.references},
          {"state", stateWord(entry.state)},
          {"problem", entry.problem.empty() ? Json(nullptr) : Json(entry.problem)},
          {"pid", entry.isLive() ? Json(entry.processId) : Json(nullptr)},
          {"done_bytes", entry.doneBytes},
          {"total_bytes", entry.totalBytes},
          {"begun_at", isoDate(entry.begunAt)},
          {"changed_at", isoDate(entry.changedAt)}};
}

/// The entries that `words` name; without words all that nobody runs.
Attempt<std::vector<TransferEntry>> chosenEntries(const Store& store,
                                                  const std::vector<std::string>& words) {
  STRATA_TRY(std::vector<TransferEntry> all, listTransfers(store));
  if (words.empty()) {
    std::erase_if(all, [](const TransferEntry& entry) { return entry.isLive(); });
    return all;
  }
  std::vector<TransferEntry> chosen;
  for (const std::string& word : words) {
    std::int64_t id = 0;
    const auto [end, problemCode] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (problemCode != std::errc() || end != word.data() + word.size()) {
      return usage(word + ": expected the number of a transfer", "strata transfer list");
    }
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const TransferEntry& one) { return one.id == id; });
    if (found == all.end()) {
      return problem(ErrorCode::NotFound, fmt::format("there is no transfer {}", id),
                     "strata transfer list");
    }
    if (found->isLive()) {
      return usage(fmt::format("transfer {} is {} in process {}; stop that first", id,
                               stateWord(found->state), found->processId));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

Argument idsArgument(std::vector<std::string>& target, std::string help) {
  return {.spelling = "ID...",
          .target = &target,
          .help = std::move(help),
          .completes = Completes::Transfers};
}

class TransferListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "transfer list",
            .summary = "Pushes and pulls that are under way, were interrupted or failed.",
            .examples = {"transfer list", "transfer list --json"},
            .details = "What is over is not listed. Interrupted: stopped, or its program is gone."};
  }

  void declare(Arguments&) override {}

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const std::vector<TransferEntry> entries, listTransfers(*store));
    Output& output = context.output();
    Json list = Json::array();
    Table table({{"ID", Align::Right},
                 {"WHERE", Align::Left, true},
                 {"WHAT", Align::Left, true},
                 {"STATE"},
                 {"DONE", Align::Right},
                 {"SINCE"},
                 {"PROBLEM", Align::Left, true}});
    for (const TransferEntry& entry : entries) {
      list.push_back(entryJson(entry));
      output.essential(std::to_string(entry.id));
      table.addRow({std::to_string(entry.id), whereText(entry.request), whatText(entry.request),
                    std::string(stateWord(entry.state)), amountText(entry),
                    wordDate(entry.changedAt), entry.problem});
    }
    output.document({{"transfers", std::move(list)}});
    if (entries.empty()) {
      output.note("No transfers.");
      return ExitCode::Done;
    }
    table.print(output);
    const bool anyStopped = std::any_of(entries.begin(), entries.end(),
                                        [](const auto& entry) { return !entry.isLive(); });
    if (anyStopped) output.advice("Go on: strata transfer resume");
    return ExitCode::Done;
  }
};

class TransferResumeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "transfer resume [ID...] [options]",
            .summary = "Go on with transfers that were interrupted or failed.",
            .examples = {"transfer resume", "transfer resume 3", "transfer resume -n"},
            .details =
                "Without ID all that no program runs, one after the other. What has "
                "arrived does not move again."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(idsArgument(words_, "numbers of transfer list"));
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &dryRun_,
                   .help = "say what would move, move nothing"});
    arguments.add(fetchBasesArgument(fetchBases_));
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_ATTEMPT(const std::vector<TransferEntry> entries, chosenEntries(*store, words_));
    if (entries.empty()) context.output().note("Nothing to go on with.");
    ExitCode worst = ExitCode::Done;
    bool anyIsWell = false;
    for (const TransferEntry& entry : entries) {
      Outcome outcome = resume(context, *store, entry);
      if (!outcome && (entries.size() == 1 || outcome.error().error.code == ErrorCode::Cancelled)) {
        return outcome;
      }
      if (!outcome) {
        context.output().warning(
            printable(fmt::format("transfer {}: {}", entry.id, outcome.error().error.message)));
      }
      const ExitCode code = outcome ? *outcome : exitCode(outcome.error().error.code);
      anyIsWell = anyIsWell || code == ExitCode::Done || code == ExitCode::Partly;
      if (code != ExitCode::Done) worst = code;
    }
    return worst == ExitCode::Done || !anyIsWell ? worst : ExitCode::Partly;
  }

 private:
  Outcome resume(Context& context, Store& store, const TransferEntry& entry) {
    const TransferRequest& request = entry.request;
    context.output().note(printable(
        fmt::format("Transfer {}: {}, {}", entry.id, whereText(request), whatText(request))));
    STRATA_TRY(checkConfirmed(entry));
    STRATA_ATTEMPT(
        const OpenRemote remote,
        openRemote(context, request.remote, request.makePublic ? IfMade::Public : IfMade::Private));
    Outcome outcome;
    if (request.direction == Direction::Push) {
      PushOptions options = pushOptionsOf(request);
      options.dryRun = dryRun_;
      outcome = runPush(context, store, remote, options);
    } else {
      PullOptions options = pullOptionsOf(request);
      options.dryRun = dryRun_;
      outcome = runPull(context, store, remote, options, fetchBases_);
    }
    // What had nothing left to move did not come by the list.
    const bool isOver = outcome && *outcome == ExitCode::Done && !dryRun_;
    if (isOver) STRATA_TRY(forgetTransfers(store, {entry.id}));
    return outcome;
  }

  std::vector<std::string> words_;
  bool dryRun_ = false;
  bool fetchBases_ = false;
};

class TransferRemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "transfer remove ID... | --all",
            .summary = "Take transfers that no program runs off the list.",
            .examples = {"transfer remove 3", "transfer remove --all"},
            .details =
                "What has arrived here is freed by gc from then on; unfinished uploads are ended "
                "on their remotes."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(idsArgument(words_, "numbers of transfer list"));
    arguments.add({.spelling = "--all", .target = &all_, .help = "all that no program runs"});
  }

  Outcome run(Context& context) override {
    if (words_.empty() != all_) {
      return usage("name transfers by their numbers, or all with --all", "strata transfer list");
    }
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_ATTEMPT(const std::vector<TransferEntry> entries, chosenEntries(*store, words_));
    std::vector<std::int64_t> ids;
    for (const TransferEntry& entry : entries) ids.push_back(entry.id);
    if (!ids.empty()) STRATA_TRY(forgetTransfers(*store, ids));
    endUploads(context, *store, entries);
    Output& output = context.output();
    output.document({{"removed", ids}});
    for (const TransferEntry& entry : entries) {
      output.essential(std::to_string(entry.id));
      output.line(printable(fmt::format("Removed transfer {}: {}, {}", entry.id,
                                        whereText(entry.request), whatText(entry.request))));
    }
    if (entries.empty()) output.note("Nothing to remove.");
    return ExitCode::Done;
  }

 private:
  static void endUploads(Context& context, const Store& store,
                         const std::vector<TransferEntry>& entries) {
    std::vector<TransferRequest> requests;
    for (const TransferEntry& entry : entries) requests.push_back(entry.request);
    const auto failures =
        hub::endUploadsOf(store, requests, transportOptions(context), context.stopToken());
    for (const Error& failure : failures) {
      context.output().warning(printable(fmt::format(
          "{}; an unfinished upload stays there until the next push ends it", failure.message)));
    }
  }

  std::vector<std::string> words_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> makeTransferList() { return std::make_unique<TransferListCommand>(); }
std::unique_ptr<Command> makeTransferResume() { return std::make_unique<TransferResumeCommand>(); }
std::unique_ptr<Command> makeTransferRemove() { return std::make_unique<TransferRemoveCommand>(); }

}  // namespace strata::cli
