#include <fmt/format.h>

#include "cli/base_fetch.h"
#include "cli/transfer_run.h"
#include "cli/words/advice.h"
#include "cli/words/command.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/versions/init_store.h"
#include "core/text/command_words.h"
#include "hub/open_transport.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

class CloneCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "clone URL [DIR] [options]",
            .summary = "Make a store of what a remote has.",
            .examples = {"clone hf://acme/models", "clone file:///mnt/share/models models",
                         "clone hf://acme/models --name 'sst2*' --lazy"},
            .details =
                "DIR is the last word of the URL if it is left out. The remote is called "
                "\"origin\" in the new store. After an interruption, go on with pull."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(
        {.spelling = "URL", .target = &url_, .help = "of the remote", .isRequired = true});
    arguments.add({.spelling = "DIR",
                   .target = &folder_,
                   .help = "the new store",
                   .completes = Completes::Folders});
    arguments.add({.spelling = "--name",
                   .target = &options_.references,
                   .value = "GLOB",
                   .help = "only these names; may be repeated"});
    arguments.add({.spelling = "--latest",
                   .target = &latest_,
                   .value = "N",
                   .help = "only the newest N versions of each name"});
    arguments.add(
        {.spelling = "--lazy", .target = &options_.lazy, .help = "manifests only, for now"});
    arguments.add(fetchBasesArgument(fetchBases_));
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(url_, remoteUrl(url_));
    if (folder_.empty()) folder_ = lastWord();
    if (folder_.empty()) return usage("name a folder for the new store", "strata help clone");
    if (Store::isStore(folder_)) {
      return usage(folder_ + ": is a store already",
                   fmt::format("{} pull {}", strata(), shellWord(url_)));
    }
    STRATA_TRY(hub::refuseInsideRemote(folder_));
    RemoteConfig config{.name = "origin", .url = url_};
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, config));
    const std::stop_token stop = context.stopToken();
    // A URL that leads nowhere leaves no empty store behind.
    const RemoteConfig place{.name = {}, .url = url_};
    auto listing = remote.transport->readRefs(stop);
    if (!listing) return problem(remoteProblem(std::move(listing).error(), place));
    auto made = checkIsMade(remote.transport->url(), *listing);
    if (!made) return problem(remoteProblem(std::move(made).error(), place));
    STRATA_TRY(const std::unique_ptr<Store> store, Store::create(folder_));
    RemoteList list;
    list.remotes.push_back(config);
    list.defaultName = config.name;
    STRATA_TRY(list.save(store->folder()));
    for (std::string& word : options_.references) {
      if (!isGlob(word) && word.find(':') == std::string::npos) word += ":*";
    }
    options_.latest = static_cast<std::uint32_t>(latest_.value_or(0));
    context.output().note(printable(fmt::format("Store made at {}", store->folder().string())));
    Outcome pulled = runPull(context, *store, remote, options_, fetchBases_, strata());
    if (!pulled) advise(pulled.error());
    return pulled;
  }

 private:
  std::string strata() const { return "strata -C " + shellPath(folder_); }

  /// What goes on with a clone that has begun, as it was asked for.
  std::string pullCommand(bool fetchesBases) const {
    std::string words = strata() + " pull";
    for (const std::string& word : options_.references) words += ' ' + shellWord(word);
    if (options_.latest > 0) words += fmt::format(" --latest {}", options_.latest);
    if (options_.lazy) words += " --lazy";
    if (fetchesBases) words += " --fetch-bases";
    return words;
  }

  void advise(Problem& cause) const {
    const ErrorCode code = cause.error.code;
    const bool mayLackBase = code == ErrorCode::InvalidArgument;
    // A pull would find the same damage again.
    if (code == ErrorCode::CorruptData && !cause.fix.empty()) return;
    const std::string goOn = pullCommand(fetchBases_ || mayLackBase);
    if (code != ErrorCode::BaseMismatch) {
      cause.fix = goOn;
      return;
    }
    // No pull brings a base of which nobody says where it lies.
    cause.fix = strata() + " import FILE --name NAME";
    cause.details.push_back("Once the base is there, it goes on with \"" + goOn + "\"");
  }

  std::string lastWord() const {
    std::string path = url_;
    while (path.ends_with('/')) path.pop_back();
    return path.substr(path.rfind('/') + 1);
  }

  std::string url_;
  std::string folder_;
  PullOptions options_;
  bool fetchBases_ = false;
  std::optional<std::uint64_t> latest_;
};

}  // namespace

std::unique_ptr<Command> makeClone() { return std::make_unique<CloneCommand>(); }

}  // namespace strata::cli
