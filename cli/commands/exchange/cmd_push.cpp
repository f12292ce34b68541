#include "cli/transfer_run.h"
#include "cli/words/command.h"

namespace strata::cli {
namespace {

class PushCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "push [REF...] [REMOTE] [options]",
            .summary = "Send versions to a remote; what it has is not sent again.",
            .examples = {"push sst2 qqp hub", "push -n", "push 'sst2:v*' hf://acme/models",
                         "push sst2:prod hub --message \"better on test\"", "push --repair hub"},
            .details =
                "Without REF all versions, without REMOTE the default one; the remote stands last. "
                "Parents that the remote lacks go along. Others see the versions only once "
                "everything is there. "
                "Interrupted, it is listed by transfer list. --repair reads back what is there and "
                "sends again what is damaged or missing."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions or patterns; the last word may be a remote",
                   .completes = Completes::References});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "say what would be sent, send nothing"});
    arguments.add({.spelling = "--with-base,!--no-base",
                   .target = &withBase_,
                   .help = "send bases, too (default); else say where they are"});
    arguments.add({.spelling = "--tags,!--no-tags",
                   .target = &tags_,
                   .help = "send the versions' tags (default)"});
    arguments.add({.spelling = "--force-tag",
                   .target = &options_.forceTags,
                   .help = "move tags that point elsewhere on the remote (else exit 3)"});
    arguments.add({.spelling = "--renumber",
                   .target = &options_.renumber,
                   .help = "take the next number where another version has it there; here, too"});
    arguments.add(
        {.spelling = "--plain",
         .target = &options_.plain,
         .help = "also the restored files of the newest version, for tools without Strata"});
    arguments.add({.spelling = "--public",
                   .target = &isPublic_,
                   .help = "a repository that this push makes is public, not private"});
    arguments.add({.spelling = "--repair",
                   .target = &options_.repair,
                   .help = "mend what the remote has of them, or of all it lists; nothing new"});
    arguments.add({.spelling = "--create",
                   .target = &options_.create,
                   .help = "make a remote anew that is gone with all it had"});
    arguments.add({.spelling = "-m,--message",
                   .target = &options_.message,
                   .value = "TEXT",
                   .help = "for the remote's history"});
  }

  Outcome run(Context& context) override {
    if (options_.repair && (options_.plain || options_.renumber || options_.forceTags)) {
      return usage("--repair sends nothing new: without --plain, --renumber and --force-tag");
    }
    STRATA_ATTEMPT(const std::string word, takeRemoteWord(context, options_.references));
    STRATA_ATTEMPT(const OpenRemote remote,
                   openRemote(context, word, isPublic_ ? IfMade::Public : IfMade::Private));
    STRATA_ATTEMPT(Store* const store, context.openStore());
    options_.withBase = withBase_ >= 0;
    options_.tags = tags_ >= 0;
    options_.makePublic = isPublic_;
    return runPush(context, *store, remote, options_);
  }

 private:
  PushOptions options_;
  int withBase_ = 0;
  int tags_ = 0;
  bool isPublic_ = false;
};

}  // namespace

std::unique_ptr<Command> makePush() { return std::make_unique<PushCommand>(); }

}  // namespace strata::cli
